//===- SeqExperts.cpp - matmuls of experts: what they say, gradients, shapes --===//
#include "ir/seq/SeqOps.h"

#include "ir/seq/Facts.h"
#include "ir/seq/TensorShape.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::seq;
using namespace stretto::seq::facts;

//===- What operands and results are ------------------------------------------===//

namespace {
constexpr ValueFacts gateRow{RowKind::row, Rounding::never, /*mayBeColumns=*/true, /*chooses=*/true};

ValueFacts matmulOperand(unsigned number) { return number == 0 ? roundedRow : number == 1 ? gateRow : roundedWeight; }
ValueFacts weightGradOperand(unsigned number) {
  return number == 1 ? gateRow : number < 3 ? roundedRow : weightGradient;
}
StringRef weightGradOperandName(unsigned number) { return number < 3 ? "" : "accumulator"; }

/// Multiplications and additions, where each row goes to all experts that it may go to.
double flopsOf(Value whole, Value parts) {
  return 2.0 * static_cast<double>(elementsOf(whole)) * static_cast<double>(columnsOf(parts));
}
} // namespace

ValueFacts ExpertLinearOp::getOperandFacts(unsigned number) { return matmulOperand(number); }
ValueFacts ExpertLinearOp::getResultFacts(unsigned) { return storedRow; }
MatmulKind ExpertLinearOp::getMatmulKind() { return MatmulKind::forward; }
double ExpertLinearOp::getFlops() { return flopsOf(getOperand(), getResult()); }

ValueFacts ExpertLinearInputGradOp::getOperandFacts(unsigned number) { return matmulOperand(number); }
ValueFacts ExpertLinearInputGradOp::getResultFacts(unsigned) { return storedRow; }
MatmulKind ExpertLinearInputGradOp::getMatmulKind() { return MatmulKind::backward; }
double ExpertLinearInputGradOp::getFlops() { return flopsOf(getResult(), getOperand()); }

ValueFacts ExpertLinearWeightGradOp::getOperandFacts(unsigned number) { return weightGradOperand(number); }
StringRef ExpertLinearWeightGradOp::getOperandName(unsigned number) { return weightGradOperandName(number); }
ValueFacts ExpertLinearWeightGradOp::getResultFacts(unsigned) { return weightGradient; }
std::optional<MutableOperandRange> ExpertLinearWeightGradOp::getAccumulatorSlot() { return getAccumulatorMutable(); }
MatmulKind ExpertLinearWeightGradOp::getMatmulKind() { return MatmulKind::backward; }
double ExpertLinearWeightGradOp::getFlops() { return flopsOf(getOperand(), getGrad()); }

ValueFacts ExpertSumOp::getOperandFacts(unsigned number) { return matmulOperand(number); }
ValueFacts ExpertSumOp::getResultFacts(unsigned) { return storedRow; }
MatmulKind ExpertSumOp::getMatmulKind() { return MatmulKind::forward; }
double ExpertSumOp::getFlops() { return flopsOf(getResult(), getOperand()); }

ValueFacts ExpertSumInputGradOp::getOperandFacts(unsigned number) {
  return number == 0 ? roundedRow : matmulOperand(number - 1);
}
ValueFacts ExpertSumInputGradOp::getResultFacts(unsigned number) { return number == 0 ? roundedRow : exactRow; }
MatmulKind ExpertSumInputGradOp::getMatmulKind() { return MatmulKind::backward; }
double ExpertSumInputGradOp::getFlops() { return flopsOf(getGrad(), getOperand()); }

ValueFacts ExpertSumWeightGradOp::getOperandFacts(unsigned number) { return weightGradOperand(number); }
StringRef ExpertSumWeightGradOp::getOperandName(unsigned number) { return weightGradOperandName(number); }
ValueFacts ExpertSumWeightGradOp::getResultFacts(unsigned) { return weightGradient; }
std::optional<MutableOperandRange> ExpertSumWeightGradOp::getAccumulatorSlot() { return getAccumulatorMutable(); }
MatmulKind ExpertSumWeightGradOp::getMatmulKind() { return MatmulKind::backward; }
double ExpertSumWeightGradOp::getFlops() { return flopsOf(getGrad(), getOperand()); }

//===- Gradients --------------------------------------------------------------===//

LogicalResult ExpertLinearOp::differentiate(ValueRange gradients, Differentiation &backward) {
  auto &b = backward.builder();
  Value x = getOperand(), w = getWeight(), gates = backward.primal(getGates()), dy = gradients[0];
  if (backward.isActive(x))
    backward.add(x, ExpertLinearInputGradOp::create(b, x.getType(), dy, gates, backward.primal(w), getChosen()));
  if (backward.isActive(w))
    backward.add(w,
                 ExpertLinearWeightGradOp::create(b, w.getType(), dy, gates, backward.primal(x), Value(), getChosen()));
  return success();
}

LogicalResult ExpertSumOp::differentiate(ValueRange gradients, Differentiation &backward) {
  auto &b = backward.builder();
  Value u = getOperand(), w = getWeight(), gates = backward.primal(getGates()), dy = gradients[0];
  if (backward.isActive(u) || backward.isActive(getGates())) {
    auto gradient = ExpertSumInputGradOp::create(b, TypeRange{u.getType(), gates.getType()}, dy, backward.primal(u),
                                                 gates, backward.primal(w), getChosen());
    backward.add(u, gradient.getResult());
    backward.add(getGates(), gradient.getDgates());
  }
  if (backward.isActive(w))
    backward.add(w, ExpertSumWeightGradOp::create(b, w.getType(), dy, gates, backward.primal(u), Value(), getChosen()));
  return success();
}

//===- Shapes -----------------------------------------------------------------===//

namespace {
/// Which of the two rows of a token weights are applied to.
enum class Reads { whole, parts };
} // namespace

/// A token has a `whole` row, and in `parts` a part for each of the `chosen` experts.
static LogicalResult verifyRows(Operation *op, Value whole, Value parts, Value gates, Value weights, uint64_t chosen,
                                Reads reads) {
  auto leading = [](Value value) { return typeOf(value).getShape().drop_back(); };
  for (Value rows : {whole, parts, gates})
    if (typeOf(rows).getRank() < 2 || leading(rows) != leading(gates))
      return op->emitOpError() << "rows must agree in all but the last dimension, but got " << typeOf(whole) << ", "
                               << typeOf(parts) << " and " << typeOf(gates);
  const int64_t experts = columnsOf(gates), count = static_cast<int64_t>(chosen);
  if (count > experts)
    return op->emitOpError() << "chosen must be at most the " << experts << " columns of " << typeOf(gates)
                             << ", but got " << count;
  if (columnsOf(parts) % count != 0)
    return op->emitOpError() << "chosen must divide the columns of " << typeOf(parts) << ", but got " << count;
  int64_t in = columnsOf(whole), out = columnsOf(parts) / count;
  if (reads == Reads::parts)
    std::swap(in, out);
  if (typeOf(weights).getShape() != ArrayRef<int64_t>{experts * out, in})
    return op->emitOpError() << "weights must have shape [" << experts * out << ", " << in << "], but got "
                             << typeOf(weights);
  return success();
}

static Type elementOf(Value value) { return typeOf(value).getElementType(); }

/// Rows and weights that are multiplied are of one type; gates, and sums over rows, too, or f32 where that is bf16.
static LogicalResult verifyTypes(Operation *op, ArrayRef<Value> multiplied, ArrayRef<Value> exact) {
  Type element = elementOf(multiplied.front());
  Type expected = element.isBF16() ? Float32Type::get(op->getContext()) : element;
  for (Value value : multiplied)
    if (elementOf(value) != element)
      return op->emitOpError() << "operands must be of one type, but got " << typeOf(multiplied.front()) << " and "
                               << typeOf(value);
  for (Value value : exact)
    if (elementOf(value) != expected)
      return op->emitOpError() << "gates and sums must be of type " << expected << ", but got " << typeOf(value);
  return success();
}

template <typename Op> static LogicalResult verifyMatmul(Op op, Value whole, Value parts, Reads reads) {
  if (failed(verifyTypes(op, {op.getOperand(), op.getWeight()}, {op.getGates()})))
    return failure();
  Type read = elementOf(op.getOperand()), made = elementOf(op.getResult());
  if (made != read && !(read.isBF16() && made.isF32()))
    return op->emitOpError() << "result must be of type " << read << (read.isBF16() ? " or f32" : "") << ", but got "
                             << op.getResult().getType();
  return verifyRows(op, whole, parts, op.getGates(), op.getWeight(), op.getChosen(), reads);
}

template <typename Op> static LogicalResult verifyWeightGrad(Op op, Value whole, Value parts, Reads reads) {
  if (failed(verifyTypes(op, {op.getGrad(), op.getOperand()}, {op.getGates(), op.getResult()})))
    return failure();
  if (op.getAccumulator() && op.getAccumulator().getType() != op.getResult().getType())
    return op->emitOpError() << "accumulator must have the type of the result, but got "
                             << op.getAccumulator().getType();
  return verifyRows(op, whole, parts, op.getGates(), op.getResult(), op.getChosen(), reads);
}

LogicalResult ExpertLinearOp::verify() { return verifyMatmul(*this, getOperand(), getResult(), Reads::whole); }
LogicalResult ExpertLinearInputGradOp::verify() { return verifyMatmul(*this, getResult(), getOperand(), Reads::whole); }
LogicalResult ExpertLinearWeightGradOp::verify() {
  return verifyWeightGrad(*this, getOperand(), getGrad(), Reads::whole);
}
LogicalResult ExpertSumOp::verify() { return verifyMatmul(*this, getResult(), getOperand(), Reads::parts); }
LogicalResult ExpertSumInputGradOp::verify() {
  if (failed(verifyTypes(*this, {getGrad(), getOperand(), getWeight()}, {getGates()})))
    return failure();
  return verifyRows(*this, getGrad(), getOperand(), getGates(), getWeight(), getChosen(), Reads::parts);
}
LogicalResult ExpertSumWeightGradOp::verify() { return verifyWeightGrad(*this, getGrad(), getOperand(), Reads::parts); }
