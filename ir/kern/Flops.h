//===- Flops.h - how much a kernel of rows computes ---------------------------===//
#pragma once

namespace mlir {
class Block;
}

namespace stretto::kern {

/// Arithmetic operations on elements in one run of a body: one for each element of a result, or of what a reduction
/// reads. What only moves, chooses or changes the type of numbers counts nothing.
double flopsOf(mlir::Block &body);

} // namespace stretto::kern
