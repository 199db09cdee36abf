//===- GroupCost.cpp - what a kernel of given operations costs ------------===//
#include "passes/fusion/GroupCost.h"

#include "passes/support/OperationCost.h"
#include "passes/support/StoredBytes.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// The rows of a value that a block needs, relative to its own: from `low` before to `high` behind.
struct Rows {
  int64_t low = 0, high = 0;
  int64_t getExtra() const { return high - low; }
  void include(Rows other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};
} // namespace

/// Rows computed beside the block, from readers to operands: a tap by k needs what it taps k rows on.
static void addHalo(ArrayRef<Operation *> ops, int64_t blockRows, GroupCost &cost) {
  DenseMap<Value, Rows> needed;
  for (Operation *op : llvm::reverse(ops)) {
    Rows rows = needed.lookup(op->getResult(0));
    cost.extra += costOfOperation(op) * rows.getExtra() / blockRows;
    if (auto tap = dyn_cast<seq::TapOp>(op)) {
      int64_t offset = tap.getOffsetAttr().getInt();
      rows = {rows.low + offset, rows.high + offset};
    }
    for (Value operand : op->getOperands()) {
      needed[operand].include(rows);
      cost.haloRows = std::max(cost.haloRows, needed[operand].getExtra());
    }
  }
}

static int64_t countStages(ArrayRef<Operation *> ops) {
  DenseMap<Value, int64_t> stage;
  int64_t last = 0;
  for (Operation *op : ops) {
    int64_t own = 0;
    for (Value operand : op->getOperands())
      own = std::max(own, stage.lookup(operand));
    last = std::max(last, own);
    stage[op->getResult(0)] = own + isa<seq::ReduceOp>(op);
  }
  return last + 1;
}

GroupCost stretto::passes::costOf(const GroupGraph &graph, ArrayRef<Operation *> members, const CostModel &model) {
  GroupCost cost;
  SmallPtrSet<Operation *, 16> inside(members.begin(), members.end());
  llvm::SmallMapVector<Value, int64_t, 8> inputs;
  for (Operation *op : members)
    for (RowFlow flow : graph.getFlows(op)) {
      Operation *def = flow.value.getDefiningOp();
      if (def && inside.contains(def))
        continue;
      int64_t &bytes = inputs[flow.value];
      bytes = std::min(storedBytes(flow.value), bytes + flow.bytes);
    }
  for (auto [value, bytes] : inputs)
    cost.bytes += bytes;
  int64_t read = cost.bytes;
  auto isInside = [&](Operation *op) { return inside.contains(op); };
  for (Operation *op : members)
    if (graph.getRoles().isReadElsewhere(op->getResult(0), isInside))
      cost.bytes += storedBytes(op->getResult(0));
  SmallVector<Operation *> ops = graph.withDuplicated(members);
  addHalo(ops, model.blockRows, cost);
  cost.operations = ops.size();
  cost.stages = countStages(ops);
  int64_t rows = graph.getRoles().getSpace(members.front()).getRows();
  // A kernel without taps may go row by row.
  int64_t held = cost.bytes / rows * (cost.haloRows ? model.heldRows + cost.haloRows : 1);
  cost.reread = held > model.heldBytes ? read * (cost.stages - 1) : 0;
  return cost;
}
