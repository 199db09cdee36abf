//===- RollingRows.cpp - rows that stay in registers from step to step -------===//
#include "codegen/cuda/RollingRows.h"

#include "codegen/rows/RowDemand.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

constexpr int64_t mostRollingBits = 64 * 32; // of a column: half of what a thread has at best

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

static int64_t bitsOf(Value value) { return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth(); }

static int64_t rollingBits(const RowDemand &demand) {
  int64_t bits = 0;
  for (const RowDemand::Item *item : demand.items())
    if (item->isRolling)
      for (RowRange span : item->spans)
        bits += (span.high - span.low) * bitsOf(item->value);
  return bits;
}

/// How often values are computed for a row.
static int64_t computedRows(const RowDemand &demand) {
  int64_t rows = 0;
  for (const RowDemand::Item *item : demand.items())
    rows += static_cast<int64_t>(item->spans.size());
  return rows;
}

namespace {
/// What rolls, if values wait for `reach` rows at most.
class RollingFinder {
public:
  RollingFinder(const RowPlan &plan, int64_t reach) : plan(plan) { found.reach = reach; }

  /// Adds what some pieces keep; a value that others with the same elements keep is there once, for the rows of all.
  void add(const Together &together);
  RollingRows take() { return std::move(found); }

private:
  RowDemand demandOf(const Together &together, const RowDemand::Ahead &ahead) const {
    return RowDemand(plan, together.domain, together.starts, mayRoll, found.reach, ahead);
  }
  std::optional<int64_t> rowOfInputs(const RowDemand::Item &item) const;
  bool moveAhead(const Together &together, RowDemand::Ahead &ahead) const;
  void addSpan(const RowDemand::Item &item, Domain domain, RowRange span);

  const RowPlan &plan;
  RollingRows found;
};
} // namespace

/// The last row, no further on than values wait, at which all that a value is computed from is known; none where
/// nothing depends on the row.
std::optional<int64_t> RollingFinder::rowOfInputs(const RowDemand::Item &item) const {
  auto tap = item.value.getDefiningOp<seq::TapOp>();
  int64_t offset = tap ? static_cast<int64_t>(tap.getOffset()) : 0;
  int64_t last = item.range().high;
  std::optional<int64_t> row;
  for (const RowDemand::Item *read : item.reads) {
    if (plan.isRowless(read->value))
      continue;
    const RowRange *span = llvm::find_if(read->spans, [&](RowRange s) { return s.high >= last + offset; });
    int64_t known = span->high - offset;
    row = row ? std::min(*row, known) : known;
  }
  return row && *row - last <= found.reach ? row : std::nullopt;
}

/// The next value, in the order of computation, that takes no more bits from row to row than what it is computed from
/// takes, if it is computed as soon as that is known, nor lets anything be computed more often; whether there is one.
bool RollingFinder::moveAhead(const Together &together, RowDemand::Ahead &ahead) const {
  RowDemand now = demandOf(together, ahead);
  for (const RowDemand::Item *item : llvm::reverse(now.items())) {
    std::optional<int64_t> row = rowOfInputs(*item);
    if (!item->index.column || !mayRoll(item->value) || !row || *row <= item->range().high)
      continue;
    RowDemand::Ahead further = ahead;
    further[RowDemand::keyOf(item->value, item->index)] = *row;
    RowDemand then = demandOf(together, further);
    if (rollingBits(then) > rollingBits(now) || computedRows(then) > computedRows(now))
      continue;
    ahead = std::move(further);
    return true;
  }
  return false;
}

void RollingFinder::addSpan(const RowDemand::Item &item, Domain domain, RowRange span) {
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
  RowDemand::Ahead ahead;
  while (moveAhead(together, ahead))
    ;
  RowDemand demand = demandOf(together, ahead);
  for (const RowDemand::Item *item : demand.items()) {
    if (item->index.column && isa<BlockArgument>(item->value))
      found.bytesAgain += (static_cast<int64_t>(item->spans.size()) - 1) * bitsOf(item->value) / 8;
    if (item->isRolling)
      for (RowRange span : item->spans)
        if (span.low < span.high)
          addSpan(*item, together.domain, span);
  }
}

static RollingRows findWithin(const RowPlan &plan, ArrayRef<RowPhase> phases, int64_t reach) {
  RollingFinder finder(plan, reach);
  SmallVector<Together> all;
  for (const RowPhase &phase : phases) {
    if (!plan.isStaggered()) // there a stage reads what an earlier one read a step before
      all.clear();
    addPieces(all, phase);
    if (!plan.isStaggered() || &phase == &phases.back())
      for (const Together &together : all)
        finder.add(together);
  }
  return finder.take();
}

/// Of a column, in those loops that keep most.
static int64_t mostBits(const RollingRows &rolling) {
  std::map<std::pair<int64_t, int64_t>, int64_t> bits;
  for (const RollingValue &value : rolling.values)
    bits[{value.domain.heads, value.domain.length}] += value.count() * bitsOf(value.value);
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
