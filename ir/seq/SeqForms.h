//===- SeqForms.h - what passes offer operations that say their own forms -----===//
#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace stretto::seq {

/// The backward of a function, for an operation that adds its part (DifferentiableOp).
class Differentiation {
public:
  virtual ~Differentiation() = default;

  /// Where the backward is written.
  virtual mlir::ImplicitLocOpBuilder &builder() = 0;
  /// A value of the forward as the backward may use it; null for null.
  virtual mlir::Value primal(mlir::Value forward) = 0;
  /// Whether the loss depends on the value through a trainable parameter.
  virtual bool isActive(mlir::Value forward) const = 0;
  /// Adds to the adjoint of a value of the forward; does nothing for one that is not active.
  virtual void add(mlir::Value forward, mlir::Value contribution) = 0;
};

/// A function that goes a few tokens on in each sequence of the batch, for an operation that says how it does so
/// (DecodableOp). Values of the model are asked for as they are there, and are rows of the tokens of one call here:
/// `[batch, rows, columns...]` for `[batch, time, columns...]`.
class Decoding {
public:
  virtual ~Decoding() = default;

  /// Where the function is written.
  virtual mlir::ImplicitLocOpBuilder &builder() = 0;
  /// What stands for a value of the model.
  virtual mlir::Value rows(mlir::Value value) = 0;
  /// The rows of all tokens so far, those of this call included: `[batch, time, columns]`, kept in a cache of its own.
  /// With a window, those that any token of the call sees, which is itself and the tokens before it in that window:
  /// `[batch, capacity, columns]`, the row of position `p` at `p mod capacity`.
  virtual mlir::Value history(mlir::Value value, std::optional<uint64_t> window = {}) = 0;
  /// What a cache of its own holds, `[batch, rows, columns]`, anything in the beginning. The operation gives it new
  /// content by a result that takes over its memory (`getUpdatedOperand`).
  virtual mlir::Value state(int64_t rows, int64_t columns, mlir::Type element) = 0;
  /// `[batch, rows]`: the place of each token in its sequence; `[batch]`: how many tokens of the call are valid.
  virtual mlir::Value positions() = 0;
  virtual mlir::Value counts() = 0;
};

/// Sequences of packed documents, for an operation that has a form with a document mask (DocumentsOp).
class Documents {
public:
  virtual ~Documents() = default;

  /// `[batch, time]`: how far each token is from the first one of its document.
  virtual mlir::Value positions() = 0;
  /// `[documents + 1]`: where each document begins among all tokens, then their number; null where nobody gives it.
  virtual mlir::Value starts() = 0;
};

} // namespace stretto::seq
