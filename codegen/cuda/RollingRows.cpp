//===- RollingRows.cpp - rows that stay in registers from step to step -------===//
#include "codegen/cuda/RollingRows.h"

#include "codegen/rows/RowDemand.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Adds what one loop keeps; a value that several loops with the same elements keep is there once, for the rows of all.
static void addLoop(SmallVectorImpl<RollingValue> &rolling, const RowPlan &plan, const RowPhase &phase,
                    const Nest &nest, const ColumnLoop &loop) {
  RowDemand demand(plan, nest, loop);
  Domain domain{nest.heads, loop.length};
  for (const RowDemand::Item *item : demand.items()) {
    if (!item->isRolling)
      continue;
    int64_t ahead = phase.rows.high;
    RowRange rows{item->range().low + ahead, item->range().high + ahead};
    auto *known = llvm::find_if(rolling, [&](const RollingValue &k) {
      return k.value == item->value && k.index == item->index && k.domain == domain;
    });
    if (known == rolling.end())
      rolling.push_back({item->value, item->index, domain, rows});
    else
      known->rows.include(rows);
  }
}

SmallVector<RollingValue> stretto::codegen::findRollingRows(const RowPlan &plan, ArrayRef<RowPhase> phases) {
  SmallVector<RollingValue> rolling;
  for (const RowPhase &phase : phases)
    for (const Nest &nest : phase.all)
      for (const ColumnLoop &loop : nest.loops)
        addLoop(rolling, plan, phase, nest, loop);
  return rolling;
}
