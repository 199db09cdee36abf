//===- Blocks.h - which block of the spec an operation belongs to -------------===//
#pragma once

#include "codegen/facts/ParameterTrace.h"

#include "llvm/ADT/StringMap.h"

namespace stretto::codegen {

/// Names the blocks of a model by the parameters they use: "embed", "layers.{}.attention". An operation belongs to the
/// block of the matmul or embedding at its place in the spec (gradients have the place of what they are the gradient
/// of), else to the block whose call in the spec it comes from; what belongs to none is "model". Attention and mixers
/// belong to the block of their call, whatever weights they are given (sinks, a decay). Where layers that differ have
/// their operations at one place, it is the block whose parameter the operation reads or has the gradient of, be it
/// through weights that are computed from it; else that of the nearest operation which it is computed from.
class BlockNames {
public:
  /// Looks at all functions of an entry point.
  explicit BlockNames(const Timeline &timeline);
  std::string of(mlir::Operation *op) const;
  /// The blocks that share the work of an operation, and how much each has of it, 1 in all: those of the weights that
  /// are one matmul, else what `of` gives.
  llvm::SmallVector<std::pair<std::string, double>> sharesOf(mlir::Operation *op) const;
  /// The block of a parameter: what its name has before its operation and the last word, `weight` or `bias`
  /// ("embed.weight": before the last word); of one that the spec declares as `parameter`, before its own name.
  static std::string ofParameter(mlir::StringRef name);

private:
  /// The blocks of the parameters that an operation reads, and of those that it has gradients of.
  llvm::SmallVector<std::string> ofWeights(mlir::Operation *op) const;
  llvm::SmallVector<std::string> ofGradients(mlir::Operation *op) const;
  /// The one of several blocks that the operation reads a parameter of, or has the gradient of one; null if of none.
  const std::string *ownAmong(llvm::ArrayRef<std::string> candidates, mlir::Operation *op) const;
  /// One of several blocks by what the operation is computed from.
  std::string nearest(mlir::Operation *op, llvm::ArrayRef<std::string> candidates) const;

  using Places = llvm::StringMap<llvm::SmallVector<std::string>>;
  ParameterTrace trace;
  Places byPlace, byCall;
};

} // namespace stretto::codegen
