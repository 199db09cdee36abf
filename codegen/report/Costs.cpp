//===- Costs.cpp - what operations cost -----------------------------------===//
#include "codegen/report/Costs.h"

#include "codegen/memory/ParameterLayout.h"
#include "ir/Seq/TensorShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;

seq::ProductKind stretto::productKind(Operation *op) {
  auto library = dyn_cast<seq::LibraryOp>(op);
  return library ? library.getProductKind() : seq::ProductKind::none;
}

static double rowwiseFlops(kern::RowwiseOp op) {
  auto [batch, time] = op.getRows();
  double perRow = 0;
  for (Operation &inner : op.getBody().front()) {
    if (isa<seq::ReduceOp, seq::ColumnSumOp>(inner))
      perRow += elementsOf(inner.getOperand(0));
    else if (inner.hasTrait<OpTrait::Elementwise>() && !isa<arith::ExtFOp, arith::TruncFOp>(inner) &&
             !inner.hasTrait<OpTrait::ConstantLike>())
      perRow += elementsOf(inner.getResult(0));
  }
  return perRow * static_cast<double>(batch * time);
}

static double flopsOf(Operation *op) {
  if (auto rowwise = dyn_cast<kern::RowwiseOp>(op))
    return rowwiseFlops(rowwise);
  auto library = dyn_cast<seq::LibraryOp>(op);
  return library ? library.getFlops() : 0;
}

Cost stretto::costOf(Operation *op) {
  if (isa<seq::ScanOp, seq::ReshapeOp, seq::SliceOp, seq::ConcatOp, seq::GetParameterOp, seq::TableOp,
          seq::GradientOp, arith::ConstantOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return {};
  Cost cost{flopsOf(op), 0};
  auto library = dyn_cast<seq::LibraryOp>(op);
  for (OpOperand &operand : op->getOpOperands())
    cost.bytes += library ? library.getBytesRead(operand.getOperandNumber()) : byteSize(operand.get().getType());
  for (Value value : op->getResults())
    cost.bytes += byteSize(value.getType());
  return cost;
}
