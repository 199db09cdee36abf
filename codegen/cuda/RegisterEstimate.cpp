//===- RegisterEstimate.cpp - what a thread holds from row to row ---------===//
#include "codegen/cuda/RegisterEstimate.h"

#include "codegen/cuda/RollingRows.h"
#include "codegen/rows/RowDemand.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// The most values of columns that are alive at once while the items of a loop are computed one after the other, what
/// stays from step to step or is the same for each row aside.
static int64_t liveValues(const RowPlan &plan, const RowDemand &demand) {
  llvm::DenseMap<const RowDemand::Item *, int64_t> lastUse;
  auto items = demand.items();
  int64_t order = 0, live = 0, most = 0;
  std::multimap<int64_t, int> ends;
  for (const RowDemand::Item *item : llvm::reverse(items)) { // in the order of computation
    for (const RowDemand::Item *read : item->reads)
      lastUse[read] = order;
    ++order;
  }
  order = 0;
  for (const RowDemand::Item *item : llvm::reverse(items)) {
    if (item->index.column && !plan.isRowless(item->value)) {
      ++live;
      ends.emplace(lastUse.lookup(item), 0);
    }
    most = std::max(most, live);
    while (!ends.empty() && ends.begin()->first <= order) {
      ends.erase(ends.begin());
      --live;
    }
    ++order;
  }
  return most;
}

namespace {
/// The values of columns that a stage computes and later ones read.
class WaitingValues {
public:
  explicit WaitingValues(const RowPlan &plan) : plan(plan) {}

  /// Stages come in order.
  void add(const RowPhase &phase) {
    for (const Nest &nest : phase.all)
      for (const ColumnLoop &loop : nest.loops) {
        RowDemand demand(plan, nest, loop);
        for (const RowDemand::Item *item : demand.items()) {
          Key key = keyOf(*item, demand.visited());
          int64_t level = levels.try_emplace(key, phase.level).first->second;
          if (level == phase.level)
            addReads(*item, demand.visited(), level);
        }
      }
  }
  double count() const { return static_cast<double>(waiting.size()); }

private:
  using Key = std::tuple<const void *, Index, int64_t, int64_t>;
  static Key keyOf(const RowDemand::Item &item, Domain domain) {
    return {item.value.getAsOpaquePointer(), item.index, domain.heads, domain.length};
  }
  void addReads(const RowDemand::Item &item, Domain domain, int64_t level) {
    for (const RowDemand::Item *read : item.reads) {
      auto known = levels.find(keyOf(*read, domain));
      bool isEarlier = known != levels.end() && known->second < level;
      if (isEarlier && read->index.column && !plan.isRowless(read->value) && !isLoaded(read->value))
        waiting.insert(known->first);
    }
  }
  /// Whether a number is loaded, or converted after that alone.
  static bool isLoaded(Value value) {
    auto cast = value.getDefiningOp<arith::ExtFOp>();
    return isa<BlockArgument>(cast ? cast.getIn() : value);
  }

  const RowPlan &plan;
  std::map<Key, int64_t> levels; // at which values are computed first
  std::set<Key> waiting;
};
} // namespace

HeldValues stretto::codegen::estimateHeld(const RowPlan &plan, ArrayRef<RowPhase> phases) {
  HeldValues held;
  RollingRows rolling = findRollingRows(plan, phases);
  for (const RollingValue &value : rolling.values) {
    held.rolling += value.count();
    held.longest = std::max(held.longest, value.count());
  }
  held.reach = rolling.reach;
  held.againBytes = rolling.bytesAgain;
  held.loadedBytes = held.fetchedBytes = held.againBytes;
  std::set<std::pair<const void *, int64_t>> coefficients, loaded;
  WaitingValues waiting(plan);
  for (const RowPhase &phase : phases) {
    waiting.add(phase);
    for (const Nest &nest : phase.all)
      for (const ColumnLoop &loop : nest.loops) {
        RowDemand demand(plan, nest, loop);
        held.working = std::max(held.working, liveValues(plan, demand));
        for (const RowDemand::Item *item : demand.items()) {
          if (!item->index.column || !isa<BlockArgument>(item->value))
            continue;
          std::pair key(item->value.getAsOpaquePointer(), item->index.base);
          auto argument = cast<BlockArgument>(item->value);
          if (plan.isRowless(argument)) {
            coefficients.insert(key);
          } else if (loaded.insert(key).second) {
            bool isTable = plan.kernel().getMap(argument.getArgNumber()) == kern::RowMap::time;
            int64_t bytes = elementBytes(item->value);
            (isTable ? held.tableBytes : held.loadedBytes) += bytes;
            bool isFetched = plan.kernel().getOperandOf(argument.getArgNumber());
            held.fetchedBytes += isFetched ? bytes : 0;
            held.commonBytes += isFetched && !item->index.head ? bytes : 0;
          }
        }
        for (const Section &section : loop.sections)
          held.sums += plan.roots()[section.root].kind == Root::columnSum;
      }
  }
  held.waiting = waiting.count();
  held.coefficients = coefficients.size();
  return held;
}
