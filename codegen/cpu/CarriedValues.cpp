//===- CarriedValues.cpp - which values a kernel carries from block to block ---===//
#include "codegen/cpu/CarriedValues.h"

#include "codegen/cpu/RowDemand.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace stretto;

/// Cycles of a vector, roughly those of current x86: a multiply-add is one.
static constexpr double loadCost = 1, storeCost = 2;
/// What a kernel that carries must gain at least: stores are not hidden as well as arithmetic.
static constexpr double leastGain = 1.08;

static double costOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<seq::TapOp, seq::ConcatOp, seq::SliceOp, seq::ReshapeOp, seq::BroadcastOp, seq::PermuteOp>(
          [](auto) { return 0; })
      .Case<arith::DivFOp, math::SqrtOp>([](auto) { return 10; })
      .Case<math::RsqrtOp>([](auto) { return 20; })
      .Case<math::ExpOp>([](auto) { return 15; })
      .Case<seq::SigmoidOp>([](auto) { return 28; })
      .Case<seq::SoftplusOp>([](auto) { return 45; })
      .Case<math::TanhOp, math::LogOp, math::Log1pOp, math::ErfOp, math::SinOp, math::CosOp>([](auto) { return 25; })
      .Default([](Operation *inner) { return inner->hasTrait<OpTrait::ConstantLike>() ? 0 : 1; });
}

static bool isReal(Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); }

namespace {
/// The cost of a kernel for a set of carried values.
class CarryCost {
public:
  using Set = llvm::SmallPtrSet<Operation *, 8>;
  CarryCost(RowPlan &plan, int64_t blockRows) : plan(plan), blockRows(blockRows) {}

  /// Cycles of a row.
  double of(const Set &carried);
  /// Operations whose results are worth a try: asked for at several rows by readers that are not.
  llvm::SmallSetVector<Operation *, 8> candidates();

private:
  void forEachLoop(const Set &carried, llvm::function_ref<void(RowDemand &)> body);
  double of(RowDemand &demand);

  RowPlan &plan;
  int64_t blockRows;
};
} // namespace

void CarryCost::forEachLoop(const Set &carried, llvm::function_ref<void(RowDemand &)> body) {
  auto mayCarry = [&](Value value) { return carried.contains(value.getDefiningOp()); };
  for (const Phase &phase : plan.phases())
    for (const Nest &nest : phase.all)
      for (const ColumnLoop &loop : nest.loops) {
        if (!RowPlan::mayCarry(phase))
          continue;
        RowDemand demand(plan, nest, loop, mayCarry);
        body(demand);
      }
}

/// Rows that a block computes or loads of an item.
static int64_t rowsOf(const RowDemand::Item &item, int64_t blockRows) {
  if (item.isCarried)
    return blockRows;
  int64_t count = 0, last = std::numeric_limits<int64_t>::min();
  for (int64_t row : item.rows) {
    count += std::min(blockRows, last == std::numeric_limits<int64_t>::min() ? blockRows : row - last);
    last = row;
  }
  return count;
}

double CarryCost::of(RowDemand &demand) {
  double cost = 0;
  llvm::DenseSet<const RowDemand::Item *> varying; // from column to column; the rest is computed in front of the loop
  for (const RowDemand::Item *item : llvm::reverse(demand.items())) {
    Operation *op = item->value.getDefiningOp();
    bool isSource = !op || isa<seq::ReduceOp>(op) || op->getNumOperands() == 0;
    bool varies = isSource ? item->index.column && (!op || !op->hasTrait<OpTrait::ConstantLike>())
                           : llvm::any_of(item->reads, [&](auto *read) { return varying.contains(read); });
    if (!varies)
      continue;
    varying.insert(item);
    cost += rowsOf(*item, blockRows) * (isSource ? loadCost : costOf(op));
    if (item->isCarried)
      cost += (item->range().high - item->range().low) * (loadCost + storeCost);
  }
  return cost / blockRows;
}

double CarryCost::of(const Set &carried) {
  double cost = 0;
  forEachLoop(carried, [&](RowDemand &demand) { cost += of(demand); });
  return cost;
}

llvm::SmallSetVector<Operation *, 8> CarryCost::candidates() {
  llvm::SmallSetVector<Operation *, 8> found;
  forEachLoop({}, [&](RowDemand &demand) {
    for (const RowDemand::Item *item : demand.items())
      for (const RowDemand::Item *read : item->reads) {
        Operation *op = read->value.getDefiningOp();
        bool isFrontier = read->rows.size() > 1 && (read->rows != item->rows || isMovement(item->value.getDefiningOp()));
        if (op && isFrontier && read->index.column && isReal(read->value) && !isMovement(op) &&
            !isa<seq::TapOp, seq::ReduceOp>(op))
          found.insert(op);
      }
  });
  return found;
}

/// Starts with all candidates and drops the one without which the kernel is cheapest, as long as that helps.
CarryChoice stretto::chooseCarried(kern::RowwiseOp op, RowPlan &plan, int64_t blockRows) {
  CarryCost cost(plan, blockRows);
  auto candidates = cost.candidates();
  CarryCost::Set chosen(candidates.begin(), candidates.end());
  CarryChoice choice;
  choice.before = cost.of({});
  choice.after = cost.of(chosen);
  while (!chosen.empty()) {
    Operation *dropped = nullptr;
    for (Operation *candidate : candidates) {
      if (!chosen.erase(candidate))
        continue;
      double without = cost.of(chosen);
      chosen.insert(candidate);
      if (without <= choice.after) {
        choice.after = without;
        dropped = candidate;
      }
    }
    if (!dropped)
      break;
    chosen.erase(dropped);
  }
  if (choice.after * leastGain > choice.before) {
    choice.after = choice.before;
    return choice;
  }
  for (Operation &inner : op.getBody().front())
    if (chosen.contains(&inner))
      choice.carried.push_back(&inner);
  return choice;
}
