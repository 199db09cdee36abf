//===- SeqInterfaces.cpp - what operations say of themselves ------------------===//
#include "ir/seq/SeqOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::seq;

#include "ir/seq/SeqInterfaces.cpp.inc"

double seq::bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return static_cast<double>(type.getNumElements()) * type.getElementTypeBitWidth() / 8;
}

OpOperand *seq::givenOf(std::optional<MutableOperandRange> slot) {
  return slot && !slot->empty() ? &(*slot)[0] : nullptr;
}

OpOperand *seq::updatedOperand(Value result) {
  auto library = result.getDefiningOp<LibraryOp>();
  if (!library)
    return nullptr;
  std::optional<unsigned> number = library.getUpdatedOperand(cast<OpResult>(result).getResultNumber());
  return number ? &library->getOpOperand(*number) : nullptr;
}

/// Nothing for what is no alias, and for null.
static std::optional<Alias> aliasOf(Operation *op) {
  auto alias = dyn_cast_if_present<AliasOp>(op);
  return alias ? std::optional(alias.getAlias()) : std::nullopt;
}

bool seq::isViewOfOperand(Operation *op) {
  std::optional<Alias> alias = aliasOf(op);
  return alias == Alias::whole || alias == Alias::columns;
}

bool seq::isView(Operation *op) { return isViewOfOperand(op) || aliasOf(op) == Alias::pieces; }

bool seq::hasOthersMemory(Value result) {
  Operation *op = result.getDefiningOp();
  return isViewOfOperand(op) || aliasOf(op) == Alias::reserved || updatedOperand(result);
}

bool seq::isRowOperation(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::Elementwise>() || isa<RowOp>(op);
}

RowReach seq::reachOf(Operation *op) {
  auto row = dyn_cast<RowOp>(op);
  return row ? row.getReach() : RowReach::own;
}

bool seq::mayBeColumns(OpOperand &use) {
  auto library = dyn_cast<LibraryOp>(use.getOwner());
  return library && library.getOperandFacts(use.getOperandNumber()).mayBeColumns;
}

bool seq::mayBeColumns(OpResult result) {
  auto library = dyn_cast<LibraryOp>(result.getOwner());
  return library && library.getResultFacts(result.getResultNumber()).mayBeColumns;
}
