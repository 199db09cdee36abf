//===- RowBuilder.cpp - writing row arithmetic briefly ------------------------===//
#include "passes/support/RowBuilder.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

SmallVector<int64_t> stretto::passes::dimRange(int64_t begin, int64_t end) {
  return llvm::to_vector(llvm::seq<int64_t>(begin, end));
}

static RankedTensorType withShape(Value like, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, typeOf(like).getElementType());
}

Value RowBuilder::splat(Type type, double number) {
  auto tensor = cast<RankedTensorType>(type);
  return arith::ConstantOp::create(*this,
                                   SplatElementsAttr::get(tensor, getFloatAttr(tensor.getElementType(), number)));
}

Value RowBuilder::reduce(seq::ReduceKind kind, Value operand) {
  return seq::ReduceOp::create(*this, withShape(operand, typeOf(operand).getShape().drop_back()), kind, operand);
}

Value RowBuilder::broadcast(Value operand, ArrayRef<int64_t> dims, ArrayRef<int64_t> shape) {
  return seq::BroadcastOp::create(*this, withShape(operand, shape), operand, dims);
}

Value RowBuilder::alongColumns(Value scalar, int64_t columns) {
  SmallVector<int64_t> shape(typeOf(scalar).getShape());
  auto dims = dimRange(0, shape.size());
  shape.push_back(columns);
  return broadcast(scalar, dims, shape);
}

Value RowBuilder::alongRows(Value shared, ArrayRef<int64_t> shape) {
  int64_t rank = shape.size();
  return broadcast(shared, dimRange(rank - typeOf(shared).getRank(), rank), shape);
}

Value RowBuilder::tap(Value operand, int64_t offset) {
  return offset == 0 ? operand : seq::TapOp::create(*this, operand.getType(), operand, offset).getResult();
}

Value RowBuilder::slice(Value operand, int64_t offset, int64_t columns) {
  SmallVector<int64_t> shape(typeOf(operand).getShape());
  if (offset == 0 && shape.back() == columns)
    return operand;
  shape.back() = columns;
  return seq::SliceOp::create(*this, withShape(operand, shape), operand, offset);
}

Value RowBuilder::concat(ValueRange pieces) {
  if (pieces.size() == 1)
    return pieces.front();
  SmallVector<int64_t> shape(typeOf(pieces.front()).getShape());
  shape.back() = 0;
  for (Value piece : pieces)
    shape.back() += columnsOf(piece);
  return seq::ConcatOp::create(*this, withShape(pieces.front(), shape), pieces);
}

Value RowBuilder::reshape(Value operand, ArrayRef<int64_t> shape) {
  if (typeOf(operand).getShape() == shape)
    return operand;
  return seq::ReshapeOp::create(*this, withShape(operand, shape), operand);
}

Value RowBuilder::columnSum(Value operand, int64_t rank) {
  return seq::ColumnSumOp::create(*this, withShape(operand, typeOf(operand).getShape().take_back(rank)), operand);
}
