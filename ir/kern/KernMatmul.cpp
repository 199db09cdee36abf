//===- KernMatmul.cpp - rules of matmuls with an epilogue -----------------===//
#include "ir/kern/KernOps.h"

#include "ir/seq/TensorShape.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::kern;

std::pair<int64_t, int64_t> MatmulOp::getRows() {
  RankedTensorType type = typeOf(getLhs());
  return type.getRank() < 2 ? std::pair<int64_t, int64_t>(1, 1) : std::pair(type.getDimSize(0), type.getDimSize(1));
}

int64_t MatmulOp::getDepth() { return typeOf(getLhs()).getShape().back(); }
int64_t MatmulOp::getColumns() { return typeOf(getBody().getArgument(0)).getNumElements(); }

/// The type that the right operand must have; for panels one whose strips and pieces are those of the schedule.
static RankedTensorType typeOfWeight(MatmulOp op) {
  int64_t depth = op.getDepth(), columns = op.getColumns();
  auto rows = RankedTensorType::get({depth, columns}, typeOf(op.getLhs()).getElementType());
  if (op.getForm() == WeightForm::rows)
    return rows;
  if (op.getForm() == WeightForm::transposed)
    return RankedTensorType::get({columns, depth}, rows.getElementType());
  auto schedule = dyn_cast_or_null<StripScheduleAttr>(op.getScheduleAttr());
  return schedule ? PackOp::typeOfPanels(rows, WeightForm::rows, schedule.getPieces(), schedule.getStrip())
                  : RankedTensorType();
}

LogicalResult MatmulOp::verify() {
  if (typeOf(getLhs()).getRank() != 3)
    return emitOpError() << "the left operand must be rows [batch, time, columns], but got " << getLhs().getType();
  if (getBody().getNumArguments() == 0 || typeOf(getBody().getArgument(0)).getRank() != 1)
    return emitOpError() << "body argument 0 must be one row of the matmul";
  Type sum = typeOf(getLhs()).getElementType();
  if (sum.isBF16())
    sum = Float32Type::get(getContext());
  if (typeOf(getBody().getArgument(0)).getElementType() != sum)
    return emitOpError() << "body argument 0 must have numbers of " << sum << ", the type of sums, but got "
                         << getBody().getArgument(0).getType();
  auto schedule = dyn_cast_or_null<StripScheduleAttr>(getScheduleAttr());
  if (schedule && failed(verifyStrips(*this, getColumns(), schedule.getPieces(), schedule.getStrip())))
    return failure();
  RankedTensorType expected = typeOfWeight(*this);
  if (!expected)
    return emitOpError() << "panels need a schedule of strips";
  if (getRhs().getType() != expected)
    return emitOpError() << "the right operand must have type " << expected << ", but got " << getRhs().getType();
  if (getResults().empty())
    return emitOpError() << "must store a result";
  return verifyRowKernel(*this, getInputs().size(), getMaps().size());
}

seq::ValueFacts MatmulOp::getOperandFacts(unsigned number) {
  if (number == 0)
    return {RowKind::row};
  if (number == 1)
    return {getForm() == WeightForm::panels ? RowKind::other : RowKind::shared};
  RowMap map = getMap(number - 1);
  return {map == RowMap::row ? RowKind::row : map == RowMap::time ? RowKind::time : RowKind::shared};
}
seq::ValueFacts MatmulOp::getResultFacts(unsigned number) {
  return {isColumnSum(number) ? RowKind::shared : RowKind::row};
}
seq::MatmulKind MatmulOp::getMatmulKind() {
  return getGradient() ? seq::MatmulKind::backward : seq::MatmulKind::forward;
}
StringRef MatmulOp::getProfileGroup() { return "matmuls"; }
double MatmulOp::getFlops() {
  auto [batch, time] = getRows();
  return 2.0 * static_cast<double>(batch * time) * static_cast<double>(getDepth()) * static_cast<double>(getColumns());
}

RankedTensorType PackOp::typeOfPanels(RankedTensorType weight, WeightForm form, int64_t pieces, int64_t strip) {
  bool isTransposed = form == WeightForm::transposed;
  int64_t columns = weight.getDimSize(isTransposed ? 0 : 1), depth = weight.getDimSize(isTransposed ? 1 : 0);
  auto count = [](int64_t a, int64_t b) { return static_cast<int64_t>(llvm::divideCeil(a, b)); };
  return RankedTensorType::get(
      {count(columns / pieces, strip) * pieces, count(strip, panelColumns), depth, panelColumns},
      weight.getElementType());
}

LogicalResult PackOp::verify() {
  RankedTensorType weight = typeOf(getOperand());
  if (getForm() == WeightForm::panels || weight.getRank() != 2)
    return emitOpError() << "packs a matrix as rows or transposed, but got " << weight << " as "
                         << stringifyWeightForm(getForm());
  int64_t pieces = getPieces(), strip = getStrip(), columns = weight.getDimSize(getForm() == WeightForm::rows ? 1 : 0);
  if (pieces < 1 || strip < 1 || columns % pieces)
    return emitOpError() << "needs strips of at least one column, of pieces that divide " << columns
                         << " columns, but got " << pieces << " and " << strip;
  RankedTensorType expected = typeOfPanels(weight, getForm(), pieces, strip);
  if (getType() != expected)
    return emitOpError() << "the result must have type " << expected << ", but got " << getType();
  return success();
}

seq::ValueFacts PackOp::getOperandFacts(unsigned) { return {RowKind::shared}; }
seq::ValueFacts PackOp::getResultFacts(unsigned) { return {RowKind::other}; }
bool PackOp::onlyMoves() { return true; }
