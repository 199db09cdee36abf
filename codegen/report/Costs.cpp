//===- Costs.cpp --------------------------------------------------------------===//
#include "codegen/report/Costs.h"

#include "codegen/memory/ParameterLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
static double elements(Value value) { return static_cast<double>(typeOf(value).getNumElements()); }
static double columns(Value value) { return static_cast<double>(typeOf(value).getShape().back()); }

ProductKind stretto::productKind(Operation *op) {
  if (isa<seq::LinearOp, seq::AttentionOp>(op))
    return ProductKind::forward;
  if (isa<seq::LinearInputGradOp, seq::LinearWeightGradOp, seq::AttentionGradOp>(op))
    return ProductKind::backward;
  return ProductKind::none;
}

/// Scores and their use, forward: 2 products of [time, head_dim] by [time, time] per query head; half of the
/// positions where causal.
static double attentionFlops(Value q, bool causal) {
  return 4.0 * elements(q) * static_cast<double>(typeOf(q).getDimSize(1)) * (causal ? 0.5 : 1.0);
}

static double rowwiseFlops(kern::RowwiseOp op) {
  auto [batch, time] = op.getRows();
  double perRow = 0;
  for (Operation &inner : op.getBody().front()) {
    if (isa<seq::ReduceOp, seq::ColumnSumOp>(inner))
      perRow += elements(inner.getOperand(0));
    else if (inner.hasTrait<OpTrait::Elementwise>() && !isa<arith::ExtFOp, arith::TruncFOp>(inner) &&
             !inner.hasTrait<OpTrait::ConstantLike>())
      perRow += elements(inner.getResult(0));
  }
  return perRow * static_cast<double>(batch * time);
}

static double flopsOf(Operation *op) {
  if (auto linear = dyn_cast<seq::LinearOp>(op))
    return 2 * elements(linear.getResult()) * columns(linear.getOperand());
  if (auto grad = dyn_cast<seq::LinearInputGradOp>(op))
    return 2 * elements(grad.getResult()) * columns(grad.getGrad());
  if (auto grad = dyn_cast<seq::LinearWeightGradOp>(op))
    return 2 * elements(grad.getGrad()) * columns(grad.getOperand());
  if (auto attention = dyn_cast<seq::AttentionOp>(op))
    return attentionFlops(attention.getQ(), attention.getCausal());
  if (auto grad = dyn_cast<seq::AttentionGradOp>(op)) // five products for the forward's two
    return 2.5 * attentionFlops(grad.getQ(), grad.getCausal());
  if (auto rowwise = dyn_cast<kern::RowwiseOp>(op))
    return rowwiseFlops(rowwise);
  if (auto sum = dyn_cast<kern::SumPartialsOp>(op))
    return elements(sum.getPartials());
  if (auto grad = dyn_cast<seq::EmbedGradOp>(op))
    return elements(grad.getGrad());
  return 0;
}

Cost stretto::costOf(Operation *op) {
  if (isa<seq::ScanOp, seq::ReshapeOp, seq::SliceOp, seq::ConcatOp, seq::GetParameterOp, seq::TableOp,
          seq::GradientOp, arith::ConstantOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return {};
  Cost cost{flopsOf(op), 0};
  for (Value value : op->getOperands())
    cost.bytes += byteSize(value.getType());
  for (Value value : op->getResults())
    cost.bytes += byteSize(value.getType());
  if (auto embed = dyn_cast<seq::EmbedOp>(op)) // only the rows of the tokens are read
    cost.bytes += byteSize(embed.getType()) - byteSize(embed.getTable().getType());
  return cost;
}
