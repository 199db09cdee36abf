//===- SeqLibrary.cpp - what library and decode operations say of themselves ===//
#include "ir/seq/SeqOps.h"

#include "ir/seq/TensorShape.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::seq;

// Rows are read where they lie, whatever lies beside them.
static constexpr ValueFacts roundedRow{RowKind::row, Rounding::required, /*mayBeColumns=*/true};
static constexpr ValueFacts storedRow{RowKind::row, Rounding::allowed, /*mayBeColumns=*/true};
static constexpr ValueFacts ownRow{RowKind::row, Rounding::allowed};
static constexpr ValueFacts exactRow{RowKind::row};
static constexpr ValueFacts roundedWeight{RowKind::shared, Rounding::required};
static constexpr ValueFacts storedWeight{RowKind::shared, Rounding::allowed};
static constexpr ValueFacts sum{RowKind::shared};
static constexpr ValueFacts statistics{RowKind::other};
static constexpr ValueFacts cached{RowKind::other, Rounding::allowed};
static constexpr ValueFacts roundedCache{RowKind::other, Rounding::required};

//===- Matmuls ---------------------------------------------------------------===//

ValueFacts LinearOp::getOperandFacts(unsigned number) {
  return number == 0 ? roundedRow : number == 1 ? roundedWeight : storedRow;
}
ValueFacts LinearOp::getResultFacts(unsigned) { return storedRow; }
std::optional<MutableOperandRange> LinearOp::getResidualSlot() { return getResidualMutable(); }
MatmulKind LinearOp::getMatmulKind() { return MatmulKind::forward; }
double LinearOp::getFlops() { return 2 * elementsOf(getResult()) * columnsOf(getOperand()); }

LogicalResult LinearOp::differentiate(ValueRange gradients, Differentiation &backward) {
  Value x = getOperand(), w = getWeight(), g = gradients[0];
  if (backward.isActive(x))
    backward.add(x, LinearInputGradOp::create(backward.builder(), x.getType(), g, backward.primal(w)));
  if (backward.isActive(w))
    backward.add(w, LinearWeightGradOp::create(backward.builder(), w.getType(), g, backward.primal(x), Value()));
  if (Value residual = getResidual())
    backward.add(residual, g);
  return success();
}

ValueFacts LinearInputGradOp::getOperandFacts(unsigned number) { return number == 0 ? roundedRow : roundedWeight; }
ValueFacts LinearInputGradOp::getResultFacts(unsigned) { return storedRow; }
MatmulKind LinearInputGradOp::getMatmulKind() { return MatmulKind::backward; }
double LinearInputGradOp::getFlops() { return 2 * elementsOf(getResult()) * columnsOf(getGrad()); }

ValueFacts LinearWeightGradOp::getOperandFacts(unsigned number) { return number < 2 ? roundedRow : sum; }
ValueFacts LinearWeightGradOp::getResultFacts(unsigned) { return sum; }
std::optional<MutableOperandRange> LinearWeightGradOp::getAccumulatorSlot() { return getAccumulatorMutable(); }
MatmulKind LinearWeightGradOp::getMatmulKind() { return MatmulKind::backward; }
double LinearWeightGradOp::getFlops() { return 2 * elementsOf(getGrad()) * columnsOf(getOperand()); }

//===- Attention --------------------------------------------------------------===//

/// Matmuls of [time, head_dim] and of [time, value_dim] by [time, keys] per query head, so many of each, where keys are
/// those that a token sees on average: half of the positions where causal, with a window about as many as it has.
template <typename Attention> static double attentionFlops(Attention op, int ofKeys, int ofValues) {
  auto time = static_cast<double>(typeOf(op.getQ()).getDimSize(1));
  double window = std::min(time, static_cast<double>(op.getWindow().value_or(time)));
  double keys = op.getCausal() ? window * (1 - window / (2 * time)) : time;
  return 2.0 * (ofKeys * elementsOf(op.getQ()) + ofValues * elementsOf(op.getOut())) * keys;
}

ValueFacts AttentionOp::getOperandFacts(unsigned number) { return number < 3 ? roundedRow : ValueFacts(); }
ValueFacts AttentionOp::getResultFacts(unsigned number) { return number == 0 ? roundedRow : statistics; }
bool AttentionOp::mixesRows() { return true; }
MatmulKind AttentionOp::getMatmulKind() { return MatmulKind::forward; }
double AttentionOp::getFlops() { return attentionFlops(*this, 1, 1); }

LogicalResult AttentionOp::differentiate(ValueRange gradients, Differentiation &backward) {
  if (gradients[1])
    return emitError() << "the log-sum-exp of attention has no derivative";
  Value q = backward.primal(getQ()), k = backward.primal(getK()), v = backward.primal(getV());
  auto gradient = AttentionGradOp::create(backward.builder(), TypeRange{q.getType(), k.getType(), v.getType()},
                                          gradients[0], q, k, v, backward.primal(getOut()), backward.primal(getLse()),
                                          backward.primal(getPositions()), backward.primal(getStarts()), getHeads(),
                                          getKvHeads(), getScale(), getCausal(), getWindowAttr(), getAlibi());
  backward.add(getQ(), gradient.getDq());
  backward.add(getK(), gradient.getDk());
  backward.add(getV(), gradient.getDv());
  return success();
}

/// Queries of the call look at the keys and values of the tokens so far that they see.
SmallVector<Value> AttentionOp::decode(Decoding &decoding, std::string &reason) {
  if (!getCausal())
    reason = "attention with causal = false has earlier tokens depend on later ones";
  else if (!getLse().use_empty())
    reason = "the log-sum-exp of attention is used";
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
  return {AttentionStepOp::create(decoding.builder(), type, q, keys, values, decoding.positions(), decoding.counts(),
                                  getHeads(), getKvHeads(), getScale(), window, getAlibi()),
          Value()};
}

void AttentionOp::maskDocuments(Documents &documents) {
  getPositionsMutable().assign(documents.positions());
  if (Value starts = documents.starts())
    getStartsMutable().assign(starts);
}

ValueFacts AttentionGradOp::getOperandFacts(unsigned number) {
  return number < 5 ? roundedRow : number == 5 ? statistics : ValueFacts();
}
ValueFacts AttentionGradOp::getResultFacts(unsigned) { return roundedRow; }
bool AttentionGradOp::mixesRows() { return true; }
MatmulKind AttentionGradOp::getMatmulKind() { return MatmulKind::backward; }
double AttentionGradOp::getFlops() { return attentionFlops(*this, 3, 2); }

ValueFacts AttentionStepOp::getOperandFacts(unsigned number) {
  return number == 0 ? roundedRow : number < 3 ? roundedCache : number == 3 ? exactRow : statistics;
}
ValueFacts AttentionStepOp::getResultFacts(unsigned) { return roundedRow; }
bool AttentionStepOp::mixesRows() { return true; }
StringRef AttentionStepOp::getProfileGroup() { return "attention"; }

//===- Embeddings -------------------------------------------------------------===//

SmallVector<Value> PositionsOp::decode(Decoding &decoding, std::string &) { return {decoding.positions()}; }

void PositionsOp::maskDocuments(Documents &documents) {
  replaceAllUsesWith(documents.positions());
  erase();
}

ValueFacts EmbedOp::getOperandFacts(unsigned number) { return number == 0 ? exactRow : storedWeight; }
/// Rows of tables, such as those of rotary angles, are exact.
ValueFacts EmbedOp::getResultFacts(unsigned) {
  return {RowKind::row, getTable().getDefiningOp<TableOp>() ? Rounding::never : Rounding::required};
}
/// Only the rows of the tokens are read.
double EmbedOp::getBytesRead(unsigned number) { return bytesOf(number == 0 ? getTokens() : getResult()); }
StringRef EmbedOp::getProfileGroup() { return "embedding"; }

LogicalResult EmbedOp::differentiate(ValueRange gradients, Differentiation &backward) {
  if (backward.isActive(getTable()))
    backward.add(getTable(), EmbedGradOp::create(backward.builder(), getTable().getType(), backward.primal(getTokens()),
                                                 gradients[0], Value()));
  return success();
}

ValueFacts EmbedGradOp::getOperandFacts(unsigned number) {
  return number == 0 ? exactRow : number == 1 ? ValueFacts{RowKind::row, Rounding::required} : sum;
}
ValueFacts EmbedGradOp::getResultFacts(unsigned) { return sum; }
std::optional<MutableOperandRange> EmbedGradOp::getAccumulatorSlot() { return getAccumulatorMutable(); }
double EmbedGradOp::getFlops() { return elementsOf(getGrad()); }
StringRef EmbedGradOp::getProfileGroup() { return "embedding"; }

//===- Caches -----------------------------------------------------------------===//

ValueFacts WriteCacheOp::getOperandFacts(unsigned number) {
  return number == 0 ? cached : number == 1 ? storedRow : number == 2 ? exactRow : statistics;
}
ValueFacts WriteCacheOp::getResultFacts(unsigned) { return cached; }
bool WriteCacheOp::mixesRows() { return true; }
bool WriteCacheOp::onlyMoves() { return true; }
std::optional<unsigned> WriteCacheOp::getUpdatedOperand(unsigned) { return getCacheMutable().getOperandNumber(); }
StringRef WriteCacheOp::getProfileGroup() { return "caches"; }

ValueFacts ReadCacheOp::getOperandFacts(unsigned number) { return number == 0 ? cached : exactRow; }
ValueFacts ReadCacheOp::getResultFacts(unsigned) { return ownRow; }
bool ReadCacheOp::mixesRows() { return true; }
bool ReadCacheOp::onlyMoves() { return true; }
StringRef ReadCacheOp::getProfileGroup() { return "caches"; }

ValueFacts LastRowOp::getOperandFacts(unsigned number) { return number == 0 ? ownRow : statistics; }
ValueFacts LastRowOp::getResultFacts(unsigned) { return ownRow; }
bool LastRowOp::mixesRows() { return true; }
bool LastRowOp::onlyMoves() { return true; }
StringRef LastRowOp::getProfileGroup() { return "caches"; }
