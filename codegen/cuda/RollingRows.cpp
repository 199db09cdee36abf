//===- RollingRows.cpp - rows that stay in registers from step to step -------===//
#include "codegen/cuda/RollingRows.h"

#include "codegen/rows/RowDemand.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// Pieces whose loops run over the same elements, so that they read the same registers.
struct Together {
  Domain domain;
  SmallVector<RowDemand::Start> starts;
};
} // namespace

/// A condition is computed where it is read: registers hold many only as bits of a number, packed one by one.
static bool mayRoll(Value value) { return !getElementTypeOrSelf(value.getType()).isInteger(1); }

static void addPieces(SmallVectorImpl<Together> &all, const RowPhase &phase) {
  for (const Nest &nest : phase.all)
    for (const ColumnLoop &loop : nest.loops)
      for (const Piece &piece : loop.pieces) {
        auto *known = llvm::find_if(all, [&](const Together &t) { return t.domain == piece.domain; });
        if (known == all.end())
          known = all.insert(all.end(), {piece.domain, {}});
        known->starts.push_back({&piece, phase.rows.high});
      }
}

static int64_t rollingBits(const RowDemand &demand) {
  int64_t bits = 0;
  for (const RowDemand::Item *item : demand.items())
    if (item->isRolling)
      bits += (item->range().high - item->range().low) *
              getElementTypeOrSelf(item->value.getType()).getIntOrFloatBitWidth();
  return bits;
}

/// The last row at which all that a value is computed from is known; none where nothing depends on the row.
static std::optional<int64_t> rowOfInputs(const RowPlan &plan, const RowDemand::Item &item) {
  auto tap = item.value.getDefiningOp<seq::TapOp>();
  int64_t offset = tap ? static_cast<int64_t>(tap.getOffset()) : 0;
  std::optional<int64_t> row;
  for (const RowDemand::Item *read : item.reads) {
    if (plan.isRowless(read->value))
      continue;
    int64_t known = read->range().high - offset;
    row = row ? std::min(*row, known) : known;
  }
  return row;
}

/// The next value, in the order of computation, that takes no more bits from row to row than what it is computed from
/// takes, if it is computed as soon as that is known; whether there is one.
static bool moveAhead(const RowPlan &plan, const Together &together, RowDemand::Ahead &ahead) {
  RowDemand now(plan, together.domain, together.starts, mayRoll, ahead);
  for (const RowDemand::Item *item : llvm::reverse(now.items())) {
    std::optional<int64_t> row = rowOfInputs(plan, *item);
    if (!item->index.column || !mayRoll(item->value) || !row || *row <= item->range().high)
      continue;
    RowDemand::Ahead further = ahead;
    further[RowDemand::keyOf(item->value, item->index)] = *row;
    if (rollingBits(RowDemand(plan, together.domain, together.starts, mayRoll, further)) > rollingBits(now))
      continue;
    ahead = std::move(further);
    return true;
  }
  return false;
}

/// Adds what some pieces keep; a value that others with the same elements keep is there once, for the rows of all.
static void addRolling(SmallVectorImpl<RollingValue> &rolling, const RowPlan &plan, const Together &together) {
  RowDemand::Ahead ahead;
  while (moveAhead(plan, together, ahead))
    ;
  RowDemand demand(plan, together.domain, together.starts, mayRoll, ahead);
  for (const RowDemand::Item *item : demand.items()) {
    if (!item->isRolling)
      continue;
    auto *known = llvm::find_if(rolling, [&](const RollingValue &k) {
      return k.value == item->value && k.index == item->index && k.domain == together.domain;
    });
    if (known == rolling.end())
      rolling.push_back({item->value, item->index, together.domain, item->range()});
    else
      known->rows.include(item->range());
  }
}

SmallVector<RollingValue> stretto::codegen::findRollingRows(const RowPlan &plan, ArrayRef<RowPhase> phases) {
  SmallVector<RollingValue> rolling;
  SmallVector<Together> all;
  for (const RowPhase &phase : phases) {
    if (!plan.isStaggered()) // there a stage reads what an earlier one read a step before
      all.clear();
    addPieces(all, phase);
    if (!plan.isStaggered() || &phase == &phases.back())
      for (const Together &together : all)
        addRolling(rolling, plan, together);
  }
  return rolling;
}
