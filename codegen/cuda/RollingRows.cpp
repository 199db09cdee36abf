//===- RollingRows.cpp - rows that stay in registers from step to step -------===//
#include "codegen/cuda/RollingRows.h"

#include "codegen/cuda/RollingDemand.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

constexpr int64_t mostRollingBits = 64 * 32; // of a column: half of what a thread has at best

namespace {
/// Sections whose loops run over the same elements, so that they read the same registers.
struct Together {
  Domain domain;
  SmallVector<RowDemand::Start> starts;
};
} // namespace

static void addSections(SmallVectorImpl<Together> &all, const RowPhase &phase) {
  for (const Nest &nest : phase.all)
    for (const ColumnLoop &loop : nest.loops)
      for (const Section &section : loop.sections) {
        auto *known = llvm::find_if(all, [&](const Together &t) { return t.domain == section.domain; });
        if (known == all.end())
          known = all.insert(all.end(), {section.domain, {}});
        known->starts.push_back({&section, phase.rows.high});
      }
}

namespace {
/// What rolls, if values wait for `reach` rows at most.
class RollingFinder {
public:
  RollingFinder(const RowPlan &plan, int64_t reach) : plan(plan) { found.reach = reach; }

  /// Adds what some sections keep; a value that others with the same elements keep is there once, for the rows of all.
  void add(const Together &together);
  RollingRows take() { return std::move(found); }

private:
  void addSpan(const RollingDemand::Item &item, Domain domain, RowRange span);

  const RowPlan &plan;
  RollingRows found;
};
} // namespace

void RollingFinder::addSpan(const RollingDemand::Item &item, Domain domain, RowRange span) {
  auto *known = llvm::find_if(found.values, [&](const RollingValue &k) {
    return k.value == item.value && k.index == item.index && k.domain == domain &&
           span.low - k.rows.high <= found.reach && k.rows.low - span.high <= found.reach;
  });
  if (known == found.values.end())
    found.values.push_back({item.value, item.index, domain, span});
  else
    known->rows.include(span);
}

void RollingFinder::add(const Together &together) {
  RollingDemand demand(plan, together.domain, together.starts, found.reach);
  demand.moveAhead();
  for (const RollingDemand::Item &item : demand.items()) {
    if (item.index.column && isa<BlockArgument>(item.value))
      found.bytesAgain += (static_cast<int64_t>(item.rows.spans.size()) - 1) * item.bits() / 8;
    if (item.rows.isRolling)
      for (RowRange span : item.rows.spans)
        if (span.low < span.high)
          addSpan(item, together.domain, span);
  }
}

static RollingRows findWithin(const RowPlan &plan, ArrayRef<RowPhase> phases, int64_t reach) {
  RollingFinder finder(plan, reach);
  SmallVector<Together> all;
  for (const RowPhase &phase : phases) {
    if (!plan.isStaggered()) // there a stage reads what an earlier one read a step before
      all.clear();
    addSections(all, phase);
    if (!plan.isStaggered() || &phase == &phases.back())
      for (const Together &together : all)
        finder.add(together);
  }
  return finder.take();
}

static int64_t bitsOf(const RollingValue &value) {
  return value.count() * getElementTypeOrSelf(value.value.getType()).getIntOrFloatBitWidth();
}

/// Of a column, in those loops that keep most.
static int64_t mostBits(const RollingRows &rolling) {
  std::map<std::pair<int64_t, int64_t>, int64_t> bits;
  for (const RollingValue &value : rolling.values)
    bits[{value.domain.heads, value.domain.length}] += bitsOf(value);
  int64_t most = 0;
  for (auto [domain, each] : bits)
    most = std::max(most, each);
  return most;
}

RollingRows stretto::codegen::findRollingRows(const RowPlan &plan, ArrayRef<RowPhase> phases) {
  if (plan.isOfStrips())
    return findWithin(plan, phases, INT64_MAX); // taps of epilogues reach few rows (Epilogues.cpp)
  RollingRows rolling = findWithin(plan, phases, mostReach);
  while (rolling.reach > 1 && mostBits(rolling) > mostRollingBits)
    rolling = findWithin(plan, phases, rolling.reach / 2);
  return rolling;
}
