//===- StoredValues.cpp - what loops over columns have in scratch memory ------===//
#include "codegen/cpu/StoredValues.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static bool isMarked(Value value, StringRef mark) {
  Operation *op = value.getDefiningOp();
  return op && op->hasAttr(mark) && isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

StoredValues::StoredValues(const RowPlan &plan)
    : demand(
          plan, [](Value value) { return isMarked(value, rollingAttribute); },
          [](Value value) { return isMarked(value, cachedAttribute); }) {
  llvm::DenseMap<const RowDemand::Item *, unsigned> cachedNumbers;
  unsigned count = 0;
  for (const KernelDemand::Loop &entry : demand.loops()) {
    demands[entry.loop] = &entry.demand;
    for (const RowDemand::Item *item : entry.demand.items()) {
      auto add = [&](Stored::Kind kind, unsigned number) {
        byLoop[entry.loop].push_back({kind, item->value, item->index, item->range(), number});
      };
      if (item->found)
        add(Stored::found, cachedNumbers.lookup(item->found));
      if (item->isRolling)
        add(Stored::rolling, count++);
      if (item->isCached)
        add(Stored::cached, cachedNumbers[item] = count++);
    }
  }
}
