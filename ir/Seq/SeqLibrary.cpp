//===- SeqLibrary.cpp - what library and decode operations say of themselves ===//
#include "ir/Seq/SeqOps.h"

#include "ir/Seq/TensorShape.h"

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

/// An optional operand, or null.
static OpOperand *givenOf(MutableOperandRange operand) { return operand.empty() ? nullptr : &operand[0]; }

//===- Products ---------------------------------------------------------------===//

ValueFacts LinearOp::getOperandFacts(unsigned number) {
  return number == 0 ? roundedRow : number == 1 ? roundedWeight : storedRow;
}
ValueFacts LinearOp::getResultFacts(unsigned) { return storedRow; }
OpOperand *LinearOp::getAddendOperand() { return givenOf(getAddendMutable()); }
ProductKind LinearOp::getProductKind() { return ProductKind::forward; }
double LinearOp::getFlops() { return 2 * elementsOf(getResult()) * columnsOf(getOperand()); }

ValueFacts LinearInputGradOp::getOperandFacts(unsigned number) { return number == 0 ? roundedRow : roundedWeight; }
ValueFacts LinearInputGradOp::getResultFacts(unsigned) { return storedRow; }
ProductKind LinearInputGradOp::getProductKind() { return ProductKind::backward; }
double LinearInputGradOp::getFlops() { return 2 * elementsOf(getResult()) * columnsOf(getGrad()); }

ValueFacts LinearWeightGradOp::getOperandFacts(unsigned number) { return number < 2 ? roundedRow : sum; }
ValueFacts LinearWeightGradOp::getResultFacts(unsigned) { return sum; }
OpOperand *LinearWeightGradOp::getAccumulatorOperand() { return givenOf(getAccumulatorMutable()); }
ProductKind LinearWeightGradOp::getProductKind() { return ProductKind::backward; }
double LinearWeightGradOp::getFlops() { return 2 * elementsOf(getGrad()) * columnsOf(getOperand()); }

//===- Attention --------------------------------------------------------------===//

/// Scores and their use, forward: 2 products of [time, head_dim] by [time, time] per query head; half of the
/// positions where causal.
static double attentionFlops(Value q, bool causal) {
  return 4.0 * elementsOf(q) * static_cast<double>(typeOf(q).getDimSize(1)) * (causal ? 0.5 : 1.0);
}

ValueFacts AttentionOp::getOperandFacts(unsigned number) { return number < 3 ? roundedRow : ValueFacts(); }
ValueFacts AttentionOp::getResultFacts(unsigned number) { return number == 0 ? roundedRow : statistics; }
bool AttentionOp::mixesRows() { return true; }
ProductKind AttentionOp::getProductKind() { return ProductKind::forward; }
double AttentionOp::getFlops() { return attentionFlops(getQ(), getCausal()); }

ValueFacts AttentionGradOp::getOperandFacts(unsigned number) {
  return number < 5 ? roundedRow : number == 5 ? statistics : ValueFacts();
}
ValueFacts AttentionGradOp::getResultFacts(unsigned) { return roundedRow; }
bool AttentionGradOp::mixesRows() { return true; }
ProductKind AttentionGradOp::getProductKind() { return ProductKind::backward; }
double AttentionGradOp::getFlops() { return 2.5 * attentionFlops(getQ(), getCausal()); } // five products for two

ValueFacts AttentionStepOp::getOperandFacts(unsigned number) {
  return number == 0 ? roundedRow : number < 3 ? roundedCache : number == 3 ? exactRow : statistics;
}
ValueFacts AttentionStepOp::getResultFacts(unsigned) { return roundedRow; }
bool AttentionStepOp::mixesRows() { return true; }
StringRef AttentionStepOp::getProfileGroup() { return "attention"; }

//===- Embeddings -------------------------------------------------------------===//

ValueFacts EmbedOp::getOperandFacts(unsigned number) { return number == 0 ? exactRow : storedWeight; }
/// Rows of tables, such as those of rotary angles, are exact.
ValueFacts EmbedOp::getResultFacts(unsigned) {
  return {RowKind::row, getTable().getDefiningOp<TableOp>() ? Rounding::never : Rounding::required};
}
/// Only the rows of the tokens are read.
double EmbedOp::getBytesRead(unsigned number) { return bytesOf(number == 0 ? getTokens() : getResult()); }
StringRef EmbedOp::getProfileGroup() { return "embedding"; }

ValueFacts EmbedGradOp::getOperandFacts(unsigned number) {
  return number == 0 ? exactRow : number == 1 ? ValueFacts{RowKind::row, Rounding::required} : sum;
}
ValueFacts EmbedGradOp::getResultFacts(unsigned) { return sum; }
OpOperand *EmbedGradOp::getAccumulatorOperand() { return givenOf(getAccumulatorMutable()); }
double EmbedGradOp::getFlops() { return elementsOf(getGrad()); }
StringRef EmbedGradOp::getProfileGroup() { return "embedding"; }

//===- Caches -----------------------------------------------------------------===//

ValueFacts WriteCacheOp::getOperandFacts(unsigned number) {
  return number == 0 ? cached : number == 1 ? storedRow : number == 2 ? exactRow : statistics;
}
ValueFacts WriteCacheOp::getResultFacts(unsigned) { return cached; }
bool WriteCacheOp::mixesRows() { return true; }
StringRef WriteCacheOp::getProfileGroup() { return "caches"; }

ValueFacts ReadCacheOp::getOperandFacts(unsigned number) { return number == 0 ? cached : exactRow; }
ValueFacts ReadCacheOp::getResultFacts(unsigned) { return ownRow; }
bool ReadCacheOp::mixesRows() { return true; }
StringRef ReadCacheOp::getProfileGroup() { return "caches"; }

ValueFacts LastRowOp::getOperandFacts(unsigned number) { return number == 0 ? ownRow : statistics; }
ValueFacts LastRowOp::getResultFacts(unsigned) { return ownRow; }
bool LastRowOp::mixesRows() { return true; }
StringRef LastRowOp::getProfileGroup() { return "caches"; }
