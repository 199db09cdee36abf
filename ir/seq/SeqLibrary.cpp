//===- SeqLibrary.cpp - what library and decode operations say of themselves ===//
#include "ir/seq/SeqOps.h"

#include "ir/seq/Facts.h"
#include "ir/seq/TensorShape.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::seq;
using namespace stretto::seq::facts;

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

ValueFacts LinearWeightGradOp::getOperandFacts(unsigned number) { return number < 2 ? roundedRow : weightGradient; }
ValueFacts LinearWeightGradOp::getResultFacts(unsigned) { return weightGradient; }
std::optional<MutableOperandRange> LinearWeightGradOp::getAccumulatorSlot() { return getAccumulatorMutable(); }
MatmulKind LinearWeightGradOp::getMatmulKind() { return MatmulKind::backward; }
double LinearWeightGradOp::getFlops() { return 2 * elementsOf(getGrad()) * columnsOf(getOperand()); }

//===- Rows -------------------------------------------------------------------===//

/// Nothing is dropped where text is generated.
SmallVector<Value> DropoutOp::decode(Decoding &decoding, std::string &) { return {decoding.rows(getOperand())}; }

//===- Embeddings -------------------------------------------------------------===//

SmallVector<Value> PositionsOp::decode(Decoding &decoding, std::string &) { return {decoding.positions()}; }

void PositionsOp::maskDocuments(Documents &documents) {
  replaceAllUsesWith(documents.positions());
  erase();
}

ValueFacts EmbedOp::getOperandFacts(unsigned number) { return number == 0 ? ownExactRow : storedWeight; }
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
  return number == 0 ? ownExactRow : number == 1 ? ValueFacts{RowKind::row, Rounding::required} : weightGradient;
}
ValueFacts EmbedGradOp::getResultFacts(unsigned) { return weightGradient; }
std::optional<MutableOperandRange> EmbedGradOp::getAccumulatorSlot() { return getAccumulatorMutable(); }
double EmbedGradOp::getFlops() { return elementsOf(getGrad()); }
StringRef EmbedGradOp::getProfileGroup() { return "embedding"; }

//===- Caches -----------------------------------------------------------------===//

ValueFacts WriteCacheOp::getOperandFacts(unsigned number) {
  return number == 0 ? cached : number == 1 ? storedRow : number == 2 ? ownExactRow : statistics;
}
ValueFacts WriteCacheOp::getResultFacts(unsigned) { return cached; }
bool WriteCacheOp::mixesRows() { return true; }
bool WriteCacheOp::onlyMoves() { return true; }
std::optional<unsigned> WriteCacheOp::getUpdatedOperand(unsigned) { return getCacheMutable().getOperandNumber(); }
StringRef WriteCacheOp::getProfileGroup() { return "caches"; }

ValueFacts ReadCacheOp::getOperandFacts(unsigned number) { return number == 0 ? cached : ownExactRow; }
ValueFacts ReadCacheOp::getResultFacts(unsigned) { return ownRow; }
bool ReadCacheOp::mixesRows() { return true; }
bool ReadCacheOp::onlyMoves() { return true; }
StringRef ReadCacheOp::getProfileGroup() { return "caches"; }

ValueFacts LastRowOp::getOperandFacts(unsigned number) { return number == 0 ? ownRow : statistics; }
ValueFacts LastRowOp::getResultFacts(unsigned) { return ownRow; }
bool LastRowOp::mixesRows() { return true; }
bool LastRowOp::onlyMoves() { return true; }
StringRef LastRowOp::getProfileGroup() { return "caches"; }
