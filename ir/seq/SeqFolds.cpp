//===- SeqFolds.cpp - what rows simplify to -------------------------------===//
#include "ir/seq/SeqOps.h"

#include "ir/seq/TensorShape.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::seq;

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getOperand()))
    return SplatElementsAttr::get(cast<ShapedType>(getType()), splat.getSplatValue<Attribute>());
  return {};
}

OpFoldResult TapOp::fold(FoldAdaptor) { return getOffset() == 0 ? OpFoldResult(getOperand()) : OpFoldResult(); }

OpFoldResult PermuteOp::fold(FoldAdaptor) {
  if (getRotated() == 0)
    return getOperand();
  auto inner = getOperand().getDefiningOp<PermuteOp>();
  if (inner && inner.getStyle() == getStyle() && inner.getRotated() == getRotated())
    return inner.getOperand();
  return {};
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<SliceOp>()) {
    setOffset(getOffset() + inner.getOffset());
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  auto concat = getOperand().getDefiningOp<ConcatOp>();
  if (!concat)
    return {};
  int64_t begin = 0, offset = getOffset();
  for (Value input : concat.getInputs()) {
    int64_t end = begin + columnsOf(input);
    if (offset >= begin && offset + columnsOf(getResult()) <= end) {
      setOffset(offset - begin);
      getOperandMutable().assign(input);
      return getOperand().getType() == getType() ? OpFoldResult(getOperand()) : OpFoldResult(getResult());
    }
    begin = end;
  }
  return {};
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getInputs().size() == 1)
    return getInputs().front();
  // The whole of one value, put together again from its slices.
  Value source;
  int64_t next = 0;
  for (Value input : getInputs()) {
    auto slice = input.getDefiningOp<SliceOp>();
    if (!slice || (source && slice.getOperand() != source) || static_cast<int64_t>(slice.getOffset()) != next)
      return {};
    source = slice.getOperand();
    next += columnsOf(input);
  }
  return source.getType() == getType() ? source : OpFoldResult();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getOperand()))
    return SplatElementsAttr::get(cast<ShapedType>(getType()), splat.getSplatValue<Attribute>());
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>()) {
    if (inner.getOperand().getType() == getType())
      return inner.getOperand();
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return {};
}
