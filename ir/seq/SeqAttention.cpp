//===- SeqAttention.cpp - attention: what it says, gradients, shapes ----------===//
#include "ir/seq/SeqOps.h"

#include "ir/seq/Facts.h"
#include "ir/seq/ShapeRules.h"
#include "ir/seq/TensorShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::seq;
using namespace stretto::seq::facts;

//===- What it says of itself -------------------------------------------------===//

/// Matmuls of [time, head_dim] and of [time, value_dim] by [time, keys] per query head, so many of each, where keys are
/// those that a token sees on average: half of the positions where causal, with a window about as many as it has.
template <typename Attention> static double attentionFlops(Attention op, int ofKeys, int ofValues) {
  auto time = static_cast<double>(typeOf(op.getQ()).getDimSize(1));
  double window = std::min(time, static_cast<double>(op.getWindow().value_or(time)));
  double keys = op.getCausal() ? window * (1 - window / (2 * time)) : time;
  return 2.0 * (ofKeys * elementsOf(op.getQ()) + ofValues * elementsOf(op.getOut())) * keys;
}

ValueFacts AttentionOp::getOperandFacts(unsigned number) {
  if (number < 3)
    return roundedRow;
  Value operand = getOperand(number);
  if (operand == getSinks() || operand == getBias())
    return exactWeight;
  return operand == getDecay() ? ownExactRow : ValueFacts();
}
ValueFacts AttentionOp::getResultFacts(unsigned number) {
  return number == 0 ? roundedRow : number == 1 ? statistics : ownExactRow;
}
StringRef AttentionOp::getOperandName(unsigned number) {
  Value operand = getOperand(number);
  return number < 3              ? ""
         : operand == getSinks() ? "sinks"
         : operand == getDecay() ? "decay"
         : operand == getBias()  ? "bias"
                                 : "";
}
bool AttentionOp::mixesRows() { return true; }
MatmulKind AttentionOp::getMatmulKind() { return MatmulKind::forward; }
double AttentionOp::getFlops() { return attentionFlops(*this, 1, 1); }

/// Where a sink takes a share of a softmax, its derivative is that share of -(grad * out), added up over the columns of
/// the head and over tokens.
static Value sinkGradient(AttentionOp op, Value grad, Differentiation &backward) {
  ImplicitLocOpBuilder &b = backward.builder();
  Value out = backward.primal(op.getOut()), share = backward.primal(op.getShare());
  auto shares = typeOf(share);
  SmallVector<int64_t> heads(shares.getShape());
  heads.push_back(columnsOf(out) / heads.back());
  Value products = ReshapeOp::create(b, shares.clone(heads), arith::MulFOp::create(b, grad, out));
  Value ofHeads = ReduceOp::create(b, shares, ReduceKind::add, products);
  Value ofTokens = arith::NegFOp::create(b, arith::MulFOp::create(b, share, ofHeads));
  return ColumnSumOp::create(b, op.getSinks().getType(), ofTokens);
}

LogicalResult AttentionOp::differentiate(ValueRange gradients, Differentiation &backward) {
  if (gradients[1])
    return emitError() << "the log-sum-exp of attention has no derivative";
  if (getShare() && gradients[2])
    return emitError() << "the share of sinks has no derivative";
  Value q = backward.primal(getQ()), k = backward.primal(getK()), v = backward.primal(getV());
  Value decay = backward.primal(getDecay()), bias = backward.primal(getBias());
  auto gradient = AttentionGradOp::create(
      backward.builder(), q.getType(), k.getType(), v.getType(), decay ? decay.getType() : Type(),
      bias ? bias.getType() : Type(), gradients[0], q, k, v, backward.primal(getOut()), backward.primal(getLse()),
      decay, bias, backward.primal(getPositions()), backward.primal(getStarts()), getHeads(), getKvHeads(), getScale(),
      getCausal(), getWindowAttr(), getAlibi(), getCapAttr());
  backward.add(getQ(), gradient.getDq());
  backward.add(getK(), gradient.getDk());
  backward.add(getV(), gradient.getDv());
  if (getDecay())
    backward.add(getDecay(), gradient.getDdecay());
  if (getBias())
    backward.add(getBias(), gradient.getDbias());
  if (getSinks() && backward.isActive(getSinks()))
    backward.add(getSinks(), sinkGradient(*this, gradients[0], backward));
  return success();
}

/// Queries of the call look at the keys and values of the tokens so far that they see.
SmallVector<Value> AttentionOp::decode(Decoding &decoding, std::string &reason) {
  if (!getCausal())
    reason = "attention with causal = false has earlier tokens depend on later ones";
  else if (!getLse().use_empty())
    reason = "the log-sum-exp of attention is used";
  else if (getShare() && !getShare().use_empty())
    reason = "the share of sinks is used";
  if (!reason.empty())
    return {};
  IntegerAttr window = getWindowAttr();
  if (window && window.getInt() >= typeOf(getQ()).getDimSize(1)) // it hides nothing
    window = {};
  std::optional<uint64_t> kept;
  if (window)
    kept = window.getInt();
  Value q = decoding.rows(getQ()), keys = decoding.history(getK(), kept), values = decoding.history(getV(), kept);
  auto type = typeOf(q).clone({typeOf(q).getDimSize(0), typeOf(q).getDimSize(1), columnsOf(getOut())});
  Value sinks = getSinks() ? decoding.rows(getSinks()) : Value(), bias = getBias() ? decoding.rows(getBias()) : Value();
  Value decay = getDecay() ? decoding.history(getDecay(), kept) : Value();
  SmallVector<Value> results{AttentionStepOp::create(decoding.builder(), type, q, keys, values, decoding.positions(),
                                                     decoding.counts(), sinks, decay, bias, getHeads(), getKvHeads(),
                                                     getScale(), window, getAlibi(), getCapAttr())};
  results.resize(getNumResults());
  return results;
}

void AttentionOp::maskDocuments(Documents &documents) {
  getPositionsMutable().assign(documents.positions());
  if (Value starts = documents.starts())
    getStartsMutable().assign(starts);
}

ValueFacts AttentionGradOp::getOperandFacts(unsigned number) {
  if (number < 6)
    return number < 5 ? roundedRow : statistics;
  Value operand = getOperand(number);
  return operand == getDecay() ? ownExactRow : operand == getBias() ? exactWeight : ValueFacts();
}
ValueFacts AttentionGradOp::getResultFacts(unsigned number) {
  return number < 3 ? roundedRow : getResult(number) == getDbias() ? weightGradient : ownExactRow;
}
bool AttentionGradOp::mixesRows() { return true; }
MatmulKind AttentionGradOp::getMatmulKind() { return MatmulKind::backward; }
double AttentionGradOp::getFlops() { return attentionFlops(*this, 3, 2); }

ValueFacts AttentionStepOp::getOperandFacts(unsigned number) {
  if (number < 3)
    return number == 0 ? roundedRow : roundedCache;
  Value operand = getOperand(number);
  if (operand == getSinks() || operand == getBias())
    return exactWeight;
  return number == 3 ? ownExactRow : statistics;
}
ValueFacts AttentionStepOp::getResultFacts(unsigned) { return roundedRow; }
bool AttentionStepOp::mixesRows() { return true; }
StringRef AttentionStepOp::getProfileGroup() { return "attention"; }

//===- Shapes -----------------------------------------------------------------===//

namespace {
/// Values of attention and what is made of them: a head of the result is as wide as one of values.
LogicalResult verifyValues(Operation *op, RankedTensorType q, RankedTensorType k, RankedTensorType v,
                           RankedTensorType out, int64_t heads, int64_t kvHeads) {
  if (v.getRank() != 3 || v.getShape().drop_back() != k.getShape().drop_back() || v.getShape().back() % kvHeads != 0)
    return op->emitOpError() << "v must have rows as k and " << kvHeads << " heads, but got " << v << " and " << k;
  if (failed(sameElements(op, q, k, q)) || failed(sameElements(op, q, v, q)))
    return failure();
  return haveType(op, "result", out,
                  q.clone({q.getDimSize(0), q.getDimSize(1), v.getShape().back() / kvHeads * heads}));
}

/// What says where documents begin among `tokens` ([batch, time]).
LogicalResult verifyDocuments(Operation *op, ArrayRef<int64_t> tokens, Value positions, Value starts) {
  if (!positions && starts)
    return op->emitOpError() << "starts need positions";
  if (positions && failed(haveShape(op, "positions", typeOf(positions), tokens)))
    return failure();
  if (starts && (typeOf(starts).getRank() != 1 || typeOf(starts).getDimSize(0) < 2))
    return op->emitOpError() << "starts must be [documents + 1], but got " << starts.getType();
  return success();
}

/// What attention and its gradient have in common.
template <typename Attention> LogicalResult verifyAttention(Attention op) {
  auto q = typeOf(op.getQ()), k = typeOf(op.getK()), lse = typeOf(op.getLse());
  if (q.getRank() != 3 || k.getRank() != 3 || q.getShape().take_front(2) != k.getShape().take_front(2))
    return op.emitOpError() << "q and k must be [batch, time, columns], but got " << q << " and " << k;
  if ((op.getWindow() || op.getAlibi() || op.getDecay() || op.getBias()) && !op.getCausal())
    return op.emitOpError() << "a window, alibi, a decay and a bias need causal";
  if (failed(isPositive(op, "scale", op.getScale())) || failed(isPositive(op, "cap", op.getCap())))
    return failure();
  int64_t heads = op.getHeads();
  if (failed(verifyHeads(op, q, k, heads, op.getKvHeads())) ||
      failed(verifyValues(op, q, k, typeOf(op.getV()), typeOf(op.getOut()), heads, op.getKvHeads())) ||
      failed(wideElements(op, "lse", lse, q)) ||
      failed(verifyDecay(op, op.getDecay(), q, {q.getDimSize(0), q.getDimSize(1), heads})) ||
      failed(verifyBias(op, op.getBias(), q, heads)) ||
      failed(verifyDocuments(op, q.getShape().take_front(2), op.getPositions(), op.getStarts())))
    return failure();
  return haveShape(op, "lse", lse, {q.getDimSize(0), heads, q.getDimSize(1)});
}
} // namespace

LogicalResult AttentionOp::verify() {
  if (failed(verifyAttention(*this)) || failed(verifySinks(*this, getSinks(), typeOf(getQ()), getHeads())))
    return failure();
  if ((getSinks() != nullptr) != (getShare() != nullptr))
    return emitOpError() << "sinks and a share need each other";
  if (!getShare())
    return success();
  RankedTensorType lse = typeOf(getLse());
  return haveType(*this, "share", typeOf(getShare()),
                  lse.clone({lse.getDimSize(0), lse.getDimSize(2), lse.getDimSize(1)}));
}

LogicalResult AttentionGradOp::verify() {
  if (failed(verifyAttention(*this)))
    return failure();
  for (auto [name, value, gradient] : {std::tuple("decay", getDecay(), getDdecay()), {"bias", getBias(), getDbias()}}) {
    if (!value != !gradient)
      return emitOpError() << "a " << name << " and its gradient need each other";
    if (value && failed(haveType(*this, (Twine("gradient of ") + name).str(), typeOf(gradient), typeOf(value))))
      return failure();
  }
  return success();
}
