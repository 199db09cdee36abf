//===- ScratchValues.cpp - which values a kernel has in scratch memory ---------===//
#include "codegen/cpu/ScratchValues.h"

#include "codegen/rows/RowDemand.h"
#include "passes/support/OperationCost.h"

#include "llvm/ADT/SetVector.h"

#include <optional>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Cycles of a vector, as `cyclesOf` counts them.
static constexpr double loadCost = 0.5, storeCost = 3;
/// How much more expensive a kernel must be without its rolling buffers or cached values. Loads, multiply-adds and
/// stores overlap, so that only functions and divisions are worth keeping: a norm's backward became slower where its
/// sum over taps was cached.
static constexpr double leastRolling = 1.08, leastCached = 1.3;

namespace {
using Set = llvm::SmallPtrSet<Operation *, 8>;
using Candidates = llvm::SmallSetVector<Operation *, 8>;

/// The cost of a kernel for what it has in scratch memory.
class ScratchChoice {
public:
  ScratchChoice(const RowPlan &plan, int64_t blockRows) : plan(plan), blockRows(blockRows) {}

  void choose();
  /// Cycles of a row.
  double cost() const;

  Set rolling, cached; // operations whose results are

private:
  KernelDemand demand() const;
  double costOf(const RowDemand &loop) const;
  Candidates rollingCandidates() const;
  Candidates cacheCandidates() const;
  void drop(const Candidates &candidates, double leastGain, Set &chosen);

  const RowPlan &plan;
  int64_t blockRows;
};
} // namespace

KernelDemand ScratchChoice::demand() const {
  return KernelDemand(
      plan, [&](Value value) { return rolling.contains(value.getDefiningOp()); },
      [&](Value value) { return cached.contains(value.getDefiningOp()); });
}

/// Rows that a block computes or loads of an item.
static int64_t rowsOf(const RowDemand::Item &item, int64_t blockRows) {
  if (item.isRolling)
    return blockRows;
  int64_t count = 0;
  std::optional<int64_t> last;
  for (int64_t row : item.rows) {
    count += last ? std::min(blockRows, row - *last) : blockRows;
    last = row;
  }
  return count;
}

double ScratchChoice::costOf(const RowDemand &loop) const {
  double cost = 0;
  llvm::DenseSet<const RowDemand::Item *> varying; // from column to column; the rest is computed in front of the loop
  for (const RowDemand::Item *item : llvm::reverse(loop.items())) {
    Operation *op = item->value.getDefiningOp();
    bool isSource = item->found || !op || isa<seq::ReduceOp>(op) || op->getNumOperands() == 0;
    bool varies = isSource ? item->index.column && (!op || !op->hasTrait<OpTrait::ConstantLike>())
                           : llvm::any_of(item->reads, [&](auto *read) { return varying.contains(read); });
    if (!varies)
      continue;
    varying.insert(item);
    cost += rowsOf(*item, blockRows) * (isSource ? loadCost : passes::cyclesOf(op));
    if (item->isRolling)
      cost += (item->range().high - item->range().low) * (loadCost + storeCost);
    if (item->isCached)
      cost += blockRows * storeCost;
  }
  return cost / blockRows;
}

double ScratchChoice::cost() const {
  double cost = 0;
  KernelDemand all = demand();
  for (const KernelDemand::Loop &entry : all.loops())
    cost += costOf(entry.demand);
  return cost;
}

static bool mayStore(const RowDemand::Item &item) {
  Operation *op = item.value.getDefiningOp();
  return op && item.index.column && isa<FloatType>(getElementTypeOrSelf(item.value.getType())) &&
         !isa<seq::MovementOp>(op) && !isa<seq::TapOp, seq::ReduceOp>(op) && !op->hasTrait<OpTrait::ConstantLike>();
}

/// What is asked for at several rows by readers that are not, or that only move it.
Candidates ScratchChoice::rollingCandidates() const {
  Candidates found;
  KernelDemand all = demand();
  for (const KernelDemand::Loop &entry : all.loops())
    for (const RowDemand::Item *item : entry.demand.items())
      for (const RowDemand::Item *read : item->reads)
        if (mayStore(*read) && read->rows.size() > 1 &&
            (read->rows != item->rows || isa<seq::MovementOp>(item->value.getDefiningOp())))
          found.insert(read->value.getDefiningOp());
  return found;
}

/// What a loop could find of those before it.
Candidates ScratchChoice::cacheCandidates() const {
  KernelDemand all(plan, [](Value) { return false; }, [](Value) { return true; });
  Candidates found;
  for (const KernelDemand::Loop &entry : all.loops())
    for (const RowDemand::Item *item : entry.demand.items())
      if (item->found && mayStore(*item))
        found.insert(item->value.getDefiningOp());
  return found;
}

/// Starts with all candidates and drops the one without which the kernel is cheapest, as long as that costs nothing;
/// chooses none if all the rest gain too little. Each question for a cost walks the whole kernel. Dropping others
/// seldom makes one cheaper to drop, so it is asked again only when it was the least so far, and when none of these can
/// go.
void ScratchChoice::drop(const Candidates &candidates, double leastGain, Set &chosen) {
  double before = cost();
  chosen.insert(candidates.begin(), candidates.end());
  double best = cost();
  struct Entry {
    Operation *candidate;
    double without, added; // cycles of the kernel without it; how many more than with it
    bool isOld;            // others were dropped since
  };
  auto ask = [&](Operation *candidate) {
    chosen.erase(candidate);
    double without = cost();
    chosen.insert(candidate);
    return Entry{candidate, without, without - best, false};
  };
  auto entries = llvm::map_to_vector(llvm::reverse(candidates), ask);
  while (!entries.empty()) {
    Entry *least = llvm::min_element(entries, [](auto &a, auto &b) { return a.added < b.added; });
    if (least->isOld) {
      *least = ask(least->candidate);
      continue;
    }
    if (least->added > 0) {
      auto *old = llvm::find_if(entries, [](auto &entry) { return entry.isOld; });
      if (old == entries.end())
        break;
      *old = ask(old->candidate);
      continue;
    }
    best = least->without;
    chosen.erase(least->candidate);
    entries.erase(least);
    for (Entry &entry : entries)
      entry.isOld = true;
  }
  if (best * leastGain > before)
    chosen.clear();
}

void ScratchChoice::choose() {
  drop(cacheCandidates(), leastCached, cached);
  drop(rollingCandidates(), leastRolling, rolling);
}

ScratchValues stretto::codegen::chooseScratch(const RowPlan &plan, int64_t blockRows) {
  ScratchChoice scratch(plan, blockRows);
  ScratchValues choice;
  choice.before = scratch.cost();
  scratch.choose();
  choice.after = scratch.cost();
  for (Operation &inner : plan.kernel().getBody().front()) {
    if (scratch.rolling.contains(&inner))
      choice.rolling.push_back(&inner);
    if (scratch.cached.contains(&inner))
      choice.cached.push_back(&inner);
  }
  return choice;
}
