// Arithmetic on tensors, and their columns.
#pragma once

#include "frontend/sema/Emitter.h"

namespace stretto::frontend {

/// An elementwise function of a tensor.
Value applyUnary(Emitter &emitter, llvm::StringRef function, const Value &operand, SourceRange range);
/// An elementwise function of two operands, at least one of them a tensor: of equal shapes, a weight [width] used on
/// each row, or a number.
Value applyBinary(Emitter &emitter, llvm::StringRef function, const Value &a, const Value &b, SourceRange range);
/// A tensor of one number.
Value splat(Emitter &emitter, double number, const Type &type, SourceRange range);
/// A weight [width] as activations, the same at each position; activations as they are.
Value atEachPosition(Emitter &emitter, const Value &operand, SourceRange range);
/// Columns side by side, of each head alone: of activations, or of weights with the same rows.
Value concatenate(Emitter &emitter, llvm::ArrayRef<Value> parts, SourceRange range, int64_t heads = 1);
/// Columns of each head from `offset` on, `width` of all heads together.
Value slice(Emitter &emitter, const Value &whole, int64_t offset, const Dim &width, SourceRange range,
            int64_t heads = 1);
/// The inverse of `concatenate`: values as wide as the parts.
std::vector<Value> split(Emitter &emitter, const Value &whole, llvm::ArrayRef<Value> parts, SourceRange range);

} // namespace stretto::frontend
