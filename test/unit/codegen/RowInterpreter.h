//===- RowInterpreter.h - what a kernel of rows means, slowly ------------------===//
//
// The body is evaluated for each row by itself, in double precision, straight from the meaning of each operation;
// nothing is rounded, to bf16 neither, unless it is asked for. Shares nothing with the code generator.
#pragma once

#include "ir/kern/KernOps.h"

#include <vector>

namespace stretto::test {

using Numbers = std::vector<double>;

/// Whether numbers of f32 and f64 are rounded to f32 after each operation.
enum class Reals { exact, rounded };

/// The number that an operation gives for one of `type`.
double roundedTo(mlir::Type type, double number, Reals reals);

/// Results of `op` (column sums whole, over all rows) for what the arguments of its body are parts of: operands, or
/// rows that the kernel computes, in row-major order.
std::vector<Numbers> interpret(kern::RowKernel op, const std::vector<Numbers> &inputs, Reals reals = Reals::exact);

/// The matmul of rows of `depth` numbers and a weight, [depth, columns] or transposed.
Numbers multiply(const Numbers &rows, const Numbers &weight, int64_t depth, int64_t columns, bool isTransposed);

/// An elementwise operation on one number of each operand; true and false are 1 and 0.
double evaluate(mlir::Operation *inner, mlir::ArrayRef<double> x);

/// The nearest number of bf16 or tf32, the even one of two.
double roundedToBf16(double number);
double roundedToTf32(double number);

} // namespace stretto::test
