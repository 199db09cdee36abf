//===- KernelInputs.h - numbers on which a CUDA kernel is defined ---------------===//
#pragma once

#include "RowInterpreter.h"

namespace stretto::test {

/// Seeded numbers for the operands of a kernel, on which its results are finite. Reals are in [-2, 2) but for those of
/// which the operation asks more, as its body tells:
///  * in [0, 1) where it takes roots or logarithms of operands (second moments, rates of decay);
///  * tokens are in the table, positions of a walk those of documents;
///  * logarithms of decay, whose sums over rows a walk takes exponentials of, are at most 0: mostly weak, some strong,
///    some minus infinity;
///  * what the matrix of a triangular system is made of is small: rows of length 1, factors in [0, 1);
///  * factors of a matmul have so few digits that f32 adds up their products exactly.
/// Where an operation takes a maximum, its first operand of reals has numbers far above all others.
std::vector<Numbers> kernelInputs(mlir::Operation *op, uint64_t seed);

} // namespace stretto::test
