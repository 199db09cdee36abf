//===- SeqVerifiers.cpp - shape rules of rows, layers and library operations ===//
#include "ir/seq/SeqOps.h"

#include "ir/seq/LossTerms.h"
#include "ir/seq/ShapeRules.h"
#include "ir/seq/TensorShape.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::seq;

namespace {
int64_t columns(RankedTensorType type) { return type.getShape().back(); }

/// Leading dimensions (all but the last) must agree; the element types too.
LogicalResult sameRows(Operation *op, RankedTensorType a, RankedTensorType b, StringRef what) {
  if (a.getRank() == 0 || a.getRank() != b.getRank() || a.getShape().drop_back() != b.getShape().drop_back() ||
      a.getElementType() != b.getElementType())
    return op->emitOpError() << what << " must agree in all but the last dimension, but got " << a << " and " << b;
  return success();
}

LogicalResult sameType(Operation *op, RankedTensorType operand, RankedTensorType result) {
  if (operand.getElementType() == result.getElementType())
    return success();
  return op->emitOpError() << "operand and result must be of one type, but got " << operand << " and " << result;
}

/// A weight of a layer has the element type of what the layer is applied to.
LogicalResult isWeight(Operation *op, StringRef what, RankedTensorType weight, ArrayRef<int64_t> shape,
                       RankedTensorType operand) {
  return haveType(op, what, weight, operand.clone(shape));
}

LogicalResult dividesColumns(Operation *op, int64_t heads, RankedTensorType type) {
  if (heads >= 1 && type.getRank() >= 1 && columns(type) % heads == 0)
    return success();
  return op->emitOpError() << "heads must divide the columns, but got " << heads << " heads of " << type;
}

/// What is added to a square before the root is drawn.
LogicalResult verifyEps(Operation *op, const APFloat &eps) {
  if (eps.isFinite() && (eps.isZero() || !eps.isNegative()))
    return success();
  return op->emitOpError() << "eps must be a number of at least 0, but got " << eps.convertToDouble();
}

/// A norm's gain (or bias) has one entry per column of a head.
template <typename Norm> LogicalResult verifyNorm(Norm op) {
  auto type = typeOf(op.getOperand());
  int64_t heads = op.getHeads();
  if (failed(dividesColumns(op, heads, type)) || failed(verifyEps(op, op.getEps())))
    return failure();
  return isWeight(op, "gain", typeOf(op.getGain()), {columns(type) / heads}, type);
}

LogicalResult areRows(Operation *op, StringRef what, RankedTensorType type) {
  if (type.getRank() >= 1)
    return success();
  return op->emitOpError() << what << " must have at least one dimension, but got " << type;
}

LogicalResult areActivations(Operation *op, RankedTensorType type) {
  if (type.getRank() >= 3)
    return success();
  return op->emitOpError() << "operand must be [batch, time, columns...], but got " << type;
}

LogicalResult verifyPairs(Operation *op, int64_t rotated, int64_t width) {
  if (rotated < 0 || rotated % 2 != 0 || rotated > width)
    return op->emitOpError() << "rotated must be even and at most " << width << ", but got " << rotated;
  return success();
}

/// Each row of logits has a target.
LogicalResult verifyLogits(Operation *op, RankedTensorType logits, RankedTensorType targets) {
  if (failed(areRows(op, "logits", logits)))
    return failure();
  return haveShape(op, "targets", targets, logits.getShape().drop_back());
}

/// A number of each row, of the element type of the row.
LogicalResult isOfRows(Operation *op, StringRef what, RankedTensorType type, RankedTensorType rows) {
  return haveType(op, what, type, rows.clone(rows.getShape().drop_back()));
}
} // namespace

//===- Rows -------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  auto from = typeOf(getOperand()), to = typeOf(getResult());
  if (failed(areRows(*this, "operand", from)) || failed(haveShape(*this, "result", to, from.getShape().drop_back())))
    return failure();
  return sameType(*this, from, to);
}

LogicalResult BroadcastOp::verify() {
  auto from = typeOf(getOperand()), to = typeOf(getResult());
  if (static_cast<int64_t>(getDims().size()) != from.getRank())
    return emitOpError() << "dims must name each dimension of the operand, but got " << getDims().size() << " for "
                         << from;
  int64_t previous = -1;
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    if (dim <= previous || dim >= to.getRank())
      return emitOpError() << "dims must ascend within the rank of the result, but got " << dim << " at " << i;
    if (from.getDimSize(i) != to.getDimSize(dim))
      return emitOpError() << "dimension " << i << " of the operand must equal dimension " << dim
                           << " of the result, but got " << from << " and " << to;
    previous = dim;
  }
  return sameType(*this, from, to);
}

LogicalResult PermuteOp::verify() {
  auto type = typeOf(getOperand());
  if (failed(areRows(*this, "operand", type)))
    return failure();
  return verifyPairs(*this, getRotated(), columns(type));
}

LogicalResult SliceOp::verify() {
  auto from = typeOf(getOperand()), to = typeOf(getResult());
  if (failed(sameRows(*this, from, to, "operand and result")))
    return failure();
  int64_t offset = getOffset();
  if (offset < 0 || offset > columns(from) - columns(to))
    return emitOpError() << "columns must lie within " << columns(from) << ", but got " << columns(to) << " at "
                         << offset;
  return success();
}

LogicalResult ConcatOp::verify() {
  if (getInputs().empty())
    return emitOpError() << "needs at least one input";
  int64_t width = 0;
  for (Value input : getInputs()) {
    if (failed(sameRows(*this, typeOf(input), typeOf(getResult()), "inputs and result")))
      return failure();
    width += columns(typeOf(input));
  }
  if (width != columns(typeOf(getResult())))
    return emitOpError() << "result must have " << width << " columns, but got " << typeOf(getResult());
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto from = typeOf(getOperand()), to = typeOf(getResult());
  if (from.getNumElements() != to.getNumElements() || from.getElementType() != to.getElementType())
    return emitOpError() << "number and type of elements must stay, but got " << from << " and " << to;
  return success();
}

LogicalResult ColumnSumOp::verify() {
  auto from = typeOf(getOperand()), to = typeOf(getResult());
  if (to.getRank() > from.getRank() || from.getShape().take_back(to.getRank()) != to.getShape())
    return emitOpError() << "result must be the trailing dimensions of the operand, but got " << from << " and " << to;
  return sameType(*this, from, to);
}

LogicalResult DropoutOp::verify() {
  double rate = getRate().convertToDouble();
  if (rate >= 0 && rate < 1)
    return success();
  return emitOpError() << "rate must be at least 0 and less than 1, but got " << rate;
}

LogicalResult TableOp::verify() {
  auto type = typeOf(getResult());
  if (type.getRank() != 2)
    return emitOpError() << "result must be [time, head_dim], but got " << type;
  return verifyPairs(*this, getRotated(), columns(type));
}

SmallVector<double> LayerNumbersOp::getNumbers() {
  return llvm::map_to_vector(getValues().getAsRange<FloatAttr>(),
                             [](FloatAttr value) { return value.getValueAsDouble(); });
}

LogicalResult LayerNumbersOp::verify() {
  const int64_t count = getValues().size();
  if (count == 0 || typeOf(getResult()).getShape() != ArrayRef<int64_t>{count, 1})
    return emitOpError() << "result must be [layers, 1] with a number for each layer, but got " << getResult().getType()
                         << " and " << count << " numbers";
  return success();
}

//===- Layers -----------------------------------------------------------------===//

LogicalResult RmsNormOp::verify() { return verifyNorm(*this); }

LogicalResult LayerNormOp::verify() { return verifyNorm(*this); }

LogicalResult L2NormOp::verify() {
  if (failed(dividesColumns(*this, getHeads(), typeOf(getOperand()))))
    return failure();
  return verifyEps(*this, getEps());
}

LogicalResult SoftmaxOp::verify() { return dividesColumns(*this, getHeads(), typeOf(getOperand())); }

LogicalResult KeepTopOp::verify() {
  auto type = typeOf(getOperand());
  if (failed(dividesColumns(*this, getHeads(), type)))
    return failure();
  int64_t count = getCount(), most = columns(type) / static_cast<int64_t>(getHeads());
  if (count < 1 || count > most)
    return emitOpError() << "keeps 1 to " << most << " columns of a head, but got " << count;
  return success();
}

LogicalResult FullOp::verify() {
  if (typeOf(getResult()).getRank() == 3)
    return success();
  return emitOpError() << "result must be [batch, time, columns], but got " << getResult().getType();
}

LogicalResult BatchMeanOp::verify() {
  auto type = typeOf(getOperand());
  if (type.getRank() != 3)
    return emitOpError() << "operand must be [batch, time, columns], but got " << type;
  return haveType(*this, "result", typeOf(getResult()), RankedTensorType::get({columns(type)}, type.getElementType()));
}

LogicalResult SumOp::verify() {
  auto from = typeOf(getOperand()), to = typeOf(getResult());
  if (failed(sameRows(*this, from, to, "operand and result")))
    return failure();
  return dividesColumns(*this, columns(to), from);
}

LogicalResult SpreadOp::verify() {
  auto from = typeOf(getOperand()), to = typeOf(getResult());
  if (failed(sameRows(*this, from, to, "operand and result")))
    return failure();
  if (columns(to) % columns(from) == 0)
    return success();
  return emitOpError() << "columns of the operand must divide those of the result, but got " << from << " and " << to;
}

LogicalResult CanonOp::verify() {
  auto type = typeOf(getOperand()), weight = typeOf(getWeight());
  if (failed(areActivations(*this, type)))
    return failure();
  if (weight.getRank() != 2)
    return emitOpError() << "weight must be [kernel, " << columns(type) << "], but got " << weight;
  if (failed(isWeight(*this, "weight", weight, {weight.getDimSize(0), columns(type)}, type)))
    return failure();
  return getBias() ? isWeight(*this, "bias", typeOf(getBias()), {columns(type)}, type) : success();
}

LogicalResult RotaryOp::verify() {
  if (failed(isPositive(*this, "theta", getTheta())))
    return failure();
  int64_t heads = getHeads();
  auto type = typeOf(getOperand());
  if (failed(areActivations(*this, type)) || failed(dividesColumns(*this, heads, type)))
    return failure();
  int64_t rotatedHeads = getRotatedHeads();
  if (rotatedHeads < 0 || rotatedHeads > heads)
    return emitOpError() << "rotated_heads must be at most " << heads << ", but got " << rotatedHeads;
  return verifyPairs(*this, getRotated(), columns(type) / heads);
}

//===- Library ----------------------------------------------------------------===//

LogicalResult LinearOp::verify() {
  auto x = typeOf(getOperand()), w = typeOf(getWeight()), y = typeOf(getResult());
  if (failed(sameElements(*this, x, w, y)) ||
      failed(sameRows(*this, x, y.clone(x.getElementType()), "operand and result")))
    return failure();
  return haveShape(*this, "weight", w, {columns(y), columns(x)});
}

LogicalResult LinearInputGradOp::verify() {
  auto dy = typeOf(getGrad()), w = typeOf(getWeight()), dx = typeOf(getResult());
  if (failed(sameElements(*this, dy, w, dx)) ||
      failed(sameRows(*this, dy, dx.clone(dy.getElementType()), "gradient and result")))
    return failure();
  return haveShape(*this, "weight", w, {columns(dy), columns(dx)});
}

LogicalResult LinearWeightGradOp::verify() {
  auto dy = typeOf(getGrad()), x = typeOf(getOperand());
  if (failed(sameRows(*this, dy, x, "gradient and operand")) ||
      failed(wideElements(*this, "result", typeOf(getResult()), dy)))
    return failure();
  if (getAccumulator() && getAccumulator().getType() != getResult().getType())
    return emitOpError() << "accumulator must have the type of the result, but got " << getAccumulator().getType();
  return haveShape(*this, "result", typeOf(getResult()), {columns(dy), columns(x)});
}

LogicalResult PositionsOp::verify() {
  if (getType().getRank() == 2)
    return success();
  return emitOpError() << "must be [batch, time], but got " << getType();
}

LogicalResult EmbedOp::verify() {
  auto tokens = typeOf(getTokens()), table = typeOf(getTable());
  if (table.getRank() != 2)
    return emitOpError() << "table must be [vocabulary, columns], but got " << table;
  if (table.getElementType() != typeOf(getResult()).getElementType())
    return emitOpError() << "table and result must be of one type, but got " << table << " and "
                         << getResult().getType();
  SmallVector<int64_t> shape(tokens.getShape());
  shape.push_back(columns(table));
  return haveShape(*this, "result", typeOf(getResult()), shape);
}

LogicalResult EmbedGradOp::verify() {
  auto tokens = typeOf(getTokens()), grad = typeOf(getGrad()), table = typeOf(getResult());
  if (table.getRank() != 2)
    return emitOpError() << "result must be [vocabulary, columns], but got " << table;
  SmallVector<int64_t> shape(tokens.getShape());
  shape.push_back(columns(table));
  if (getAccumulator() && getAccumulator().getType() != getResult().getType())
    return emitOpError() << "accumulator must have the type of the result, but got " << getAccumulator().getType();
  if (failed(wideElements(*this, "result", table, grad)))
    return failure();
  return haveShape(*this, "gradient", grad, shape);
}

LogicalResult CrossEntropyOp::verify() {
  if (failed(verifyLogits(*this, typeOf(getLogits()), typeOf(getTargets()))))
    return failure();
  for (auto [name, coefficient] : {std::pair("nll_square", getNllSquareAttr()), {"z_loss", getZLossAttr()}})
    if (coefficient && !isCoefficient(coefficient.getValue()))
      return emitOpError() << name << " must be finite and at least 0, but got " << coefficient;
  return isOfRows(*this, "weights", typeOf(getWeights()), typeOf(getLogits()));
}

LogicalResult TokenLossOp::verify() {
  auto logits = typeOf(getLogits());
  if (getTargets() && failed(verifyLogits(*this, logits, typeOf(getTargets()))))
    return failure();
  if (logits.getRank() != 3)
    return emitOpError() << "logits must be [batch, time, vocabulary], but got " << logits;
  int64_t number[] = {logits.getDimSize(0), logits.getDimSize(1), 1};
  return haveType(*this, "result", typeOf(getNll()), logits.clone(number));
}

LogicalResult PredictOp::verify() {
  if (failed(verifyLogits(*this, typeOf(getLogits()), typeOf(getTargets()))))
    return failure();
  return isOfRows(*this, "nll", typeOf(getNll()), typeOf(getLogits()));
}
