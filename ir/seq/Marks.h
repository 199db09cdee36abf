//===- Marks.h - what holds for operations, as attributes of them ---------------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace stretto {

/// The values of the operation are computed again for the backward (unit); seq-choose-saved says which may be kept.
inline constexpr llvm::StringLiteral kRecomputeAttr = "seq.recompute";
/// A copy in the backward that computes a value of the forward again (unit).
inline constexpr llvm::StringLiteral kRecomputedAttr = "seq.recomputed";
/// On the backward of a scan body: the symbol of its forward.
inline constexpr llvm::StringLiteral kForwardAttr = "seq.forward";
/// A library operation that the backward repeats, as the spec asks for it (unit). Its work counts as the backward's.
inline constexpr llvm::StringLiteral kRepeatedAttr = "seq.repeated";
/// The operation shares a kernel with nothing (unit), or, where it is a piece of a layer, with the pieces of that layer
/// alone, which have the same number (i64).
inline constexpr llvm::StringLiteral kNoFuseAttr = "seq.no_fuse";

/// The result of a seq.reduce says what was chosen of a row (unit): the backward reads what the forward chose. A row
/// that was rounded since might say otherwise.
inline constexpr llvm::StringLiteral kChoiceAttr = "seq.choice";

/// The result of a seq.reduce, without which what is computed from it would be the same, has no gradient (unit).
inline constexpr llvm::StringLiteral kHeldConstantAttr = "seq.held_constant";

inline bool isMarkedNoFuse(mlir::Operation *op) { return op->hasAttr(kNoFuseAttr); }

} // namespace stretto
