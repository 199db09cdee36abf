//===- RowBuilder.h - writing row arithmetic briefly --------------------------===//
#pragma once

#include "ir/seq/SeqOps.h"
#include "ir/seq/TensorShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace stretto::passes {

/// The dimensions begin, begin + 1, ..., end - 1.
llvm::SmallVector<int64_t> dimRange(int64_t begin, int64_t end);

/// An ImplicitLocOpBuilder that knows rows: shapes are deduced, numbers become splats.
class RowBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  using Value = mlir::Value;

  /// A tensor of `type` holding `number` everywhere.
  Value splat(mlir::Type type, double number);

  Value add(Value a, Value b) { return mlir::arith::AddFOp::create(*this, a, b); }
  Value sub(Value a, Value b) { return mlir::arith::SubFOp::create(*this, a, b); }
  Value mul(Value a, Value b) { return mlir::arith::MulFOp::create(*this, a, b); }
  Value div(Value a, Value b) { return mlir::arith::DivFOp::create(*this, a, b); }
  Value neg(Value a) { return mlir::arith::NegFOp::create(*this, a); }
  Value scale(Value a, double factor) { return mul(a, splat(a.getType(), factor)); }
  Value less(Value a, Value b) { return compare(mlir::arith::CmpFPredicate::OLT, a, b); }
  Value greater(Value a, Value b) { return compare(mlir::arith::CmpFPredicate::OGT, a, b); }
  Value equal(Value a, Value b) { return compare(mlir::arith::CmpFPredicate::OEQ, a, b); }
  Value select(Value c, Value a, Value b) { return mlir::arith::SelectOp::create(*this, c, a, b); }

  /// Reduces the last dimension.
  Value reduce(seq::ReduceKind kind, Value operand);
  /// Repeats along the dimensions of `shape` that `dims` does not name.
  Value broadcast(Value operand, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape);
  /// Repeats the scalar of each row (or head) along a new last dimension of `columns`.
  Value alongColumns(Value scalar, int64_t columns);
  /// Repeats a value of parameter shape over all rows of `shape`.
  Value alongRows(Value shared, llvm::ArrayRef<int64_t> shape);
  Value tap(Value operand, int64_t offset);
  Value slice(Value operand, int64_t offset, int64_t columns);
  Value concat(mlir::ValueRange pieces);
  Value reshape(Value operand, llvm::ArrayRef<int64_t> shape);
  /// Sums over the leading dimensions; the result has the trailing `rank` dimensions.
  Value columnSum(Value operand, int64_t rank);

private:
  Value compare(mlir::arith::CmpFPredicate predicate, Value a, Value b) {
    return mlir::arith::CmpFOp::create(*this, predicate, a, b);
  }
};

} // namespace stretto::passes
