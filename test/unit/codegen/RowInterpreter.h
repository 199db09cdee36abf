//===- RowInterpreter.h - what a kern.rowwise means, slowly --------------------===//
//
// The body is evaluated for each row by itself, in double precision, straight from the meaning of each operation;
// nothing is rounded, to bf16 neither. Shares nothing with the code generator.
#pragma once

#include "ir/kern/KernOps.h"

#include <map>
#include <vector>

namespace stretto::test {

using Numbers = std::vector<double>;

/// Results of `op` (column sums whole, over all rows) for operands in row-major order.
std::vector<Numbers> interpret(kern::RowwiseOp op, const std::vector<Numbers> &inputs);

/// An elementwise operation on one number of each operand; true and false are 1 and 0.
double evaluate(mlir::Operation *inner, mlir::ArrayRef<double> x);

} // namespace stretto::test
