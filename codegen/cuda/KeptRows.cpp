//===- KeptRows.cpp - rows that stay in registers from step to step -------===//
#include "codegen/cuda/KeptRows.h"

#include "codegen/rows/RowDemand.h"

using namespace mlir;
using namespace stretto;

/// Adds what one loop keeps; a value that several loops with the same elements keep is kept once, for the rows of all.
static void addLoop(SmallVectorImpl<KeptValue> &kept, const RowPlan &plan, const RowPhase &phase, const Nest &nest,
                    const ColumnLoop &loop) {
  RowDemand demand(plan, nest, loop);
  Domain domain{nest.heads, loop.length};
  for (const RowDemand::Item *item : demand.items()) {
    if (!item->isCarried)
      continue;
    int64_t ahead = phase.rows.high;
    RowRange rows{item->range().low + ahead, item->range().high + ahead};
    auto *known = llvm::find_if(kept, [&](const KeptValue &k) {
      return k.value == item->value && k.index == item->index && k.domain == domain;
    });
    if (known == kept.end())
      kept.push_back({item->value, item->index, domain, rows});
    else
      known->rows.include(rows);
  }
}

SmallVector<KeptValue> stretto::findKeptRows(const RowPlan &plan, ArrayRef<RowPhase> phases) {
  SmallVector<KeptValue> kept;
  for (const RowPhase &phase : phases)
    for (const Nest &nest : phase.all)
      for (const ColumnLoop &loop : nest.loops)
        addLoop(kept, plan, phase, nest, loop);
  return kept;
}
