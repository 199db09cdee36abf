//===- RowForm.cpp - operations on whole activations, written for one row -----===//
#include "passes/fusion/RowForm.h"

#include "ir/kern/Attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

RowForm::RowForm(MLIRContext *context, RowSpace space, const RowRoles &roles, Block &body)
    : space(std::move(space)), roles(roles), builder(context), body(body) {
  builder.setInsertionPointToEnd(&body);
}

int64_t RowForm::countDropped(Form form) const {
  switch (form) {
  case Form::row:
    return space.leading.size();
  case Form::time:
    return 1;
  case Form::shared:
    return 0;
  }
  llvm_unreachable("unknown form");
}

RankedTensorType RowForm::dropRows(Type type, Form form) const {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape().drop_front(countDropped(form)), tensor.getElementType());
}

LogicalResult RowForm::record(Operation *op, Value copied) {
  if (!copied)
    return op->emitError() << "'" << op->getName() << "' reads a value that one row of a kernel has no form of";
  known[{op->getResult(0), Form::row}] = copied;
  return success();
}

LogicalResult RowForm::addMember(Operation *op) { return record(op, copy(op, Form::row)); }

LogicalResult RowForm::addJoinOfSums(Operation *op) {
  SmallVector<Value> pieces;
  for (Value sum : op->getOperands())
    pieces.push_back(known.lookup({sum, Form::row}).getDefiningOp<seq::ColumnSumOp>().getOperand());
  SmallVector<int64_t> shape(cast<RankedTensorType>(pieces.front().getType()).getShape());
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  shape.back() = type.getShape().back();
  auto joined = seq::ConcatOp::create(builder, op->getLoc(), type.clone(shape), pieces);
  return record(op, seq::ColumnSumOp::create(builder, op->getLoc(), type, joined));
}

Value RowForm::get(Value value, Form form) {
  if (Value copied = known.lookup({value, form}))
    return copied;
  Operation *def = value.getDefiningOp();
  Value copied = def && roles.getRole(def) == RowRole::duplicated ? copy(def, form) : addInput(value, form);
  known[{value, form}] = copied;
  return copied;
}

Value RowForm::copy(Operation *op, Form form) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return copyConstant(op, form);
  if (auto broadcast = dyn_cast<seq::BroadcastOp>(op))
    return copyBroadcast(broadcast, form);
  Value columns = op->getNumOperands() ? op->getOperand(0) : op->getResult(0);
  if (countsColumns(op) && cast<RankedTensorType>(columns.getType()).getRank() <= countDropped(form))
    return {};
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    Value copied = get(operand, form);
    if (!copied)
      return {};
    mapping.map(operand, copied);
  }
  Operation *copied = builder.clone(*op, mapping);
  copied->removeAttr(kern::groupAttr);
  if (!isa<seq::ColumnSumOp>(op)) // its result has no rows
    copied->getResult(0).setType(dropRows(op->getResult(0).getType(), form));
  return copied->getResult(0);
}

Value RowForm::copyConstant(Operation *op, Form form) {
  DenseElementsAttr elements;
  if (!matchPattern(op, m_Constant(&elements)) || (!elements.isSplat() && form != Form::shared))
    return addInput(op->getResult(0), form);
  if (elements.isSplat())
    elements = elements.resizeSplat(dropRows(elements.getType(), form));
  return arith::ConstantOp::create(builder, op->getLoc(), elements);
}

/// How one row sees the operand of a broadcast whose result it sees as `form`.
std::optional<RowForm::Form> RowForm::formOfOperand(seq::BroadcastOp op, Form form) const {
  int64_t dropped = countDropped(form);
  ArrayRef<int64_t> dims = op.getDims();
  int64_t kept = llvm::count_if(dims, [&](int64_t dim) { return dim < dropped; });
  if (kept == dropped)
    return form;
  if (kept == 0)
    return Form::shared;
  bool isByTime = !space.isParameter && form == Form::row && dims.front() == 1;
  return isByTime ? std::optional(Form::time) : std::nullopt;
}

Value RowForm::copyBroadcast(seq::BroadcastOp op, Form form) {
  std::optional<Form> from = formOfOperand(op, form);
  Value operand = from ? get(op.getOperand(), *from) : Value();
  if (!operand)
    return {};
  RankedTensorType type = dropRows(op.getType(), form);
  if (operand.getType() == type)
    return operand;
  int64_t dropped = countDropped(form);
  SmallVector<int64_t> dims;
  for (int64_t dim : op.getDims())
    if (dim >= dropped)
      dims.push_back(dim - dropped);
  return seq::BroadcastOp::create(builder, op.getLoc(), type, operand, dims);
}

Value RowForm::addInput(Value value, Form form) {
  inputs.push_back(value);
  maps.push_back(form);
  return body.addArgument(dropRows(value.getType(), form), value.getLoc());
}
