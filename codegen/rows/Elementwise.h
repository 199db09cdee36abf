//===- Elementwise.h - operations of a row body as vector code ------------------===//
#pragma once

#include "codegen/rows/VectorBuilder.h"
#include "ir/kern/KernInterfaces.h"

namespace stretto::codegen {

/// The one number that all elements of a constant of a row body have.
mlir::Value emitConstant(VectorBuilder &b, mlir::Operation *constant);

/// An elementwise operation of `arith` or `math` on `operands`, which are all scalars or all vectors of one width.
mlir::Value emitElementwise(VectorBuilder &b, mlir::Operation *op, mlir::ValueRange operands);

/// An addition or subtraction that takes over a product (isContracted): x and y are the factors of the product, z the
/// other operand; `onLeft` says which of the two the product is.
mlir::Value emitContracted(VectorBuilder &b, mlir::Operation *sum, bool onLeft, mlir::Value x, mlir::Value y,
                           mlir::Value z);

/// first, first + 1, ... as reals of `type`; `first` is an index.
mlir::Value emitColumnNumbers(VectorBuilder &b, mlir::Type type, mlir::Value first, int64_t lanes);

/// softplus(x) = max(x, 0) + log1p(exp(-|x|)).
mlir::Value emitSoftplus(VectorBuilder &b, mlir::Value x);

/// sin or cos of x, as `op` says. In f32 to 1.2e-7 where |x| is at most 4e6 and the machine has fused multiply-adds, to
/// 1e-7 up to 6,000 where it has none; of larger numbers, whose neighbours are as far away as a quarter of a radian,
/// some number of at most 1; of infinity NaN. In f64 what the library of mathematics gives.
mlir::Value emitTurn(VectorBuilder &b, mlir::Operation *op, mlir::Value x);

/// What a kernel needs to become code: column sums are partial, constants have one value, dropout has keys. Reports
/// what it lacks.
mlir::LogicalResult checkKernel(kern::RowKernel op);

} // namespace stretto::codegen
