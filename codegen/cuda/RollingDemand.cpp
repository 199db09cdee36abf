//===- RollingDemand.cpp - rows that values are computed at, and wait until ===//
#include "codegen/cuda/RollingDemand.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// A condition is computed where it is read: registers hold many only as bits of a number, packed one by one.
static bool mayRoll(const RollingDemand::Item &item) {
  return item.index.column && !getElementTypeOrSelf(item.value.getType()).isInteger(1);
}

/// Rows between that of a value and those that it reads.
static int64_t offsetOf(const RollingDemand::Item &item) {
  auto tap = item.value.getDefiningOp<seq::TapOp>();
  return tap ? static_cast<int64_t>(tap.getOffset()) : 0;
}

/// The rows in spans, in which each is no more than `reach` rows behind the one before.
static SmallVector<RowRange, 1> spansOf(ArrayRef<int64_t> rows, int64_t reach) {
  SmallVector<RowRange, 1> spans;
  for (int64_t row : rows) {
    if (spans.empty() || row - spans.back().high > reach)
      spans.push_back({row, row});
    spans.back().high = row;
  }
  return spans;
}

RollingDemand::RollingDemand(const RowPlan &plan, Domain domain, ArrayRef<RowDemand::Start> starts, int64_t reach)
    : plan(plan), reach(reach) {
  RowDemand demand(plan, domain, starts);
  llvm::DenseMap<const RowDemand::Item *, unsigned> numbers;
  for (const RowDemand::Item *item : demand.items()) {
    numbers[item] = all.size();
    all.push_back({item->value, item->index, item->begun, {}, {}, {}});
  }
  for (auto [number, item] : llvm::enumerate(demand.items()))
    for (const RowDemand::Item *read : item->reads) {
      all[number].reads.push_back(numbers.at(read));
      all[numbers.at(read)].readers.push_back(number);
    }
  open.resize(all.size(), true);
  settle();
}

RowDemand::Rows RollingDemand::computedAt(const Item &item) const {
  if (!item.rows.isRolling)
    return item.rows.asked;
  return llvm::map_to_vector<4>(item.rows.spans, [](RowRange span) { return span.high; });
}

RowDemand::Rows RollingDemand::askedFor(const Item &item) const {
  if (plan.isRowless(item.value))
    return {0};
  RowDemand::Rows rows = item.begun;
  for (unsigned reader : item.readers)
    for (int64_t row : computedAt(all[reader]))
      RowDemand::include(rows, row + offsetOf(all[reader]));
  if (item.rows.ahead)
    RowDemand::include(rows, *item.rows.ahead);
  return rows;
}

void RollingDemand::count(const Item &item, int64_t sign) {
  computedRows += sign * static_cast<int64_t>(item.rows.spans.size());
  if (item.rows.isRolling)
    for (RowRange span : item.rows.spans)
      rollingBits += sign * (span.high - span.low) * item.bits();
}

/// Finds the rows of an item anew, all of whose readers have theirs.
void RollingDemand::update(unsigned number) {
  Item &item = all[number];
  RowDemand::Rows computed = computedAt(item);
  before.push_back({number, item.rows});
  count(item, -1);
  item.rows.asked = askedFor(item);
  item.rows.spans = spansOf(item.rows.asked, reach);
  item.rows.isRolling = mayRoll(item) && item.rows.asked.size() > item.rows.spans.size();
  count(item, 1);
  if (computedAt(item) != computed)
    for (unsigned read : item.reads)
      open.set(read);
}

void RollingDemand::settle() {
  for (int number = open.find_first(); number >= 0; number = open.find_next(number)) {
    open.reset(number);
    update(number);
  }
}

/// The last row, no further on than values wait, at which all that a value is computed from is known; none where
/// nothing depends on the row.
std::optional<int64_t> RollingDemand::rowOfInputs(const Item &item) const {
  int64_t offset = offsetOf(item), last = item.rows.asked.back();
  std::optional<int64_t> row;
  for (unsigned read : item.reads) {
    if (plan.isRowless(all[read].value))
      continue;
    const RowRange *span = llvm::find_if(all[read].rows.spans, [&](RowRange s) { return s.high >= last + offset; });
    int64_t known = span->high - offset;
    row = row ? std::min(*row, known) : known;
  }
  return row && *row - last <= reach ? row : std::nullopt;
}

/// Computes a value at a later row if that costs nothing; whether it does so.
bool RollingDemand::tryAt(unsigned number, int64_t row) {
  int64_t bitsBefore = rollingBits, rowsBefore = computedRows;
  std::optional<int64_t> aheadBefore = std::exchange(all[number].rows.ahead, row);
  before.clear();
  open.set(number);
  settle();
  if (rollingBits <= bitsBefore && computedRows <= rowsBefore)
    return true;
  for (auto &[changed, rows] : before)
    all[changed].rows = std::move(rows);
  all[number].rows.ahead = aheadBefore;
  rollingBits = bitsBefore;
  computedRows = rowsBefore;
  return false;
}

/// Moves the next value, in the order of computation; whether there is one.
bool RollingDemand::moveOneAhead() {
  for (unsigned number = all.size(); number-- > 0;) {
    const Item &item = all[number];
    std::optional<int64_t> row = rowOfInputs(item);
    if (mayRoll(item) && row && *row > item.rows.asked.back() && tryAt(number, *row))
      return true;
  }
  return false;
}

void RollingDemand::moveAhead() {
  while (moveOneAhead())
    ;
}
