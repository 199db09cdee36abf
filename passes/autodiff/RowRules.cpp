//===- RowRules.cpp - derivatives of the row primitives ------------------------===//
#include "passes/autodiff/Adjoints.h"

#include "ir/seq/Marks.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
LogicalResult reduceRule(Operation *op, ValueRange gradients, Adjoints &a) {
  auto reduce = cast<seq::ReduceOp>(op);
  if (op->hasAttr(kHeldConstantAttr))
    return success();
  if (reduce.getKind() != seq::ReduceKind::add)
    return op->emitError() << "the derivative of a reduction exists for add only, but got "
                           << seq::stringifyReduceKind(reduce.getKind());
  a.add(reduce.getOperand(), a.b.alongColumns(gradients[0], columnsOf(reduce.getOperand())));
  return success();
}

/// The transpose of a repetition is a sum: over columns for dimensions missing at the end, over rows for those
/// missing at the front.
LogicalResult broadcastRule(Operation *op, ValueRange gradients, Adjoints &a) {
  auto broadcast = cast<seq::BroadcastOp>(op);
  if (!a.isActive(broadcast.getOperand()))
    return success();
  SmallVector<int64_t> dims(broadcast.getDims());
  Value g = gradients[0];
  int64_t rank = typeOf(g).getRank();
  while (rank > 0 && (dims.empty() || dims.back() < rank - 1)) {
    g = a.b.reduce(seq::ReduceKind::add, g);
    --rank;
    if (rank == static_cast<int64_t>(dims.size()))
      break;
  }
  int64_t kept = dims.size();
  if (dims != dimRange(rank - kept, rank))
    return op->emitError() << "the derivative of a broadcast exists for dimensions at one end only";
  a.add(broadcast.getOperand(), rank == kept ? g : a.b.columnSum(g, kept));
  return success();
}

LogicalResult columnSumRule(Operation *op, ValueRange gradients, Adjoints &a) {
  auto sum = cast<seq::ColumnSumOp>(op);
  a.add(sum.getOperand(), a.b.alongRows(gradients[0], typeOf(sum.getOperand()).getShape()));
  return success();
}

LogicalResult tapRule(Operation *op, ValueRange gradients, Adjoints &a) {
  auto tap = cast<seq::TapOp>(op);
  a.add(tap.getOperand(), a.b.tap(gradients[0], -static_cast<int64_t>(tap.getOffset())));
  return success();
}

/// What is zero in the forward gets no gradient, by the same question.
LogicalResult dropoutRule(Operation *op, ValueRange gradients, Adjoints &a) {
  auto dropout = cast<seq::DropoutOp>(op);
  a.add(dropout.getOperand(), seq::DropoutOp::create(a.b, gradients[0], a.primal(dropout.getPlace()),
                                                     a.primal(dropout.getKeys()), dropout.getRate()));
  return success();
}

LogicalResult permuteRule(Operation *op, ValueRange gradients, Adjoints &a) {
  auto permute = cast<seq::PermuteOp>(op);
  a.add(permute.getOperand(), seq::PermuteOp::create(a.b, permute.getStyle(), gradients[0], permute.getRotated()));
  return success();
}

LogicalResult sliceRule(Operation *op, ValueRange gradients, Adjoints &a) {
  auto slice = cast<seq::SliceOp>(op);
  a.addSlice(slice.getOperand(), slice.getOffset(), gradients[0]);
  return success();
}

LogicalResult concatRule(Operation *op, ValueRange gradients, Adjoints &a) {
  int64_t offset = 0;
  for (Value input : op->getOperands()) {
    if (a.isActive(input))
      a.add(input, a.b.slice(gradients[0], offset, columnsOf(input)));
    offset += columnsOf(input);
  }
  return success();
}

LogicalResult reshapeRule(Operation *op, ValueRange gradients, Adjoints &a) {
  a.add(op->getOperand(0), a.b.reshape(gradients[0], typeOf(op->getOperand(0)).getShape()));
  return success();
}
} // namespace

void stretto::passes::addRowRules(RuleTable &table) {
  table["seq.reduce"] = reduceRule;
  table["seq.broadcast"] = broadcastRule;
  table["seq.column_sum"] = columnSumRule;
  table["seq.tap"] = tapRule;
  table["seq.dropout"] = dropoutRule;
  table["seq.permute"] = permuteRule;
  table["seq.slice"] = sliceRule;
  table["seq.concat"] = concatRule;
  table["seq.reshape"] = reshapeRule;
}
