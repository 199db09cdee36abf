//===- Slots.cpp - where the values of a planned module lie ---------------===//
#include "ir/kern/Slots.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::kern;

SlotAttr kern::slotOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return slotOfArgument(cast<func::FuncOp>(argument.getOwner()->getParentOp()), argument.getArgNumber());
  auto slots = value.getDefiningOp()->getAttrOfType<ArrayAttr>(slotsAttr);
  return cast<SlotAttr>(slots[cast<OpResult>(value).getResultNumber()]);
}

SlotAttr kern::slotOfSymbol(Operation *parameterOrCache) { return parameterOrCache->getAttrOfType<SlotAttr>(slotAttr); }

SlotAttr kern::slotOfArgument(func::FuncOp function, unsigned number) {
  return function.getArgAttrOfType<SlotAttr>(number, slotAttr);
}

SlotAttr kern::slotOfResult(func::FuncOp entry, unsigned number) {
  return entry.getResultAttrOfType<SlotAttr>(number, slotAttr);
}
