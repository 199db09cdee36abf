//===- GroupCost.cpp - what a kernel of given operations costs ------------===//
#include "passes/fusion/GroupCost.h"

#include "passes/fusion/RowLoops.h"
#include "passes/support/OperationCost.h"
#include "passes/support/StoredBytes.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// Rows of a value, relative to those of a block: from `low` before to `high` behind.
struct Rows {
  int64_t low = 0, high = 0;
};

/// The rows of a value that a block needs: its own, and those that taps reach. What lies no more than `reach` rows
/// from other rows is walked together with them.
class NeededRows {
public:
  void include(Rows rows, int64_t reach) {
    llvm::erase_if(spans, [&](Rows span) {
      bool isFar = rows.low - span.high > reach || span.low - rows.high > reach;
      if (!isFar)
        rows = {std::min(rows.low, span.low), std::max(rows.high, span.high)};
      return !isFar;
    });
    spans.push_back(rows);
  }
  void include(const NeededRows &rows, int64_t offset, int64_t reach) {
    for (Rows span : rows.spans)
      include({span.low + offset, span.high + offset}, reach);
  }
  /// Beside the block, or beside rows further away.
  int64_t getHalo() const {
    int64_t halo = 0;
    for (Rows span : spans)
      halo += span.high - span.low;
    return halo;
  }
  /// For each row of the block, besides those that are walked with it.
  int64_t getFar() const { return static_cast<int64_t>(spans.size()) - 1; }

private:
  SmallVector<Rows, 1> spans{Rows()};
};
} // namespace

/// Rows computed beside the block and far from it, from readers to operands: a tap by k needs what it taps k rows on.
/// Returns what is needed of each value that is read.
static DenseMap<Value, NeededRows> addHalo(ArrayRef<Operation *> ops, const CostModel &model, GroupCost &cost) {
  DenseMap<Value, NeededRows> needed;
  for (Operation *op : llvm::reverse(ops)) {
    NeededRows rows = needed.lookup(op->getResult(0));
    cost.extra += costOfOperation(op) * rows.getHalo() / model.blockRows + costOfOperation(op) * rows.getFar();
    cost.sumsFar |= isa<seq::ReduceOp>(op) && rows.getFar() > 0;
    auto tap = dyn_cast<seq::TapOp>(op);
    int64_t offset = tap ? tap.getOffsetAttr().getInt() : 0;
    for (Value operand : op->getOperands()) {
      NeededRows &ofOperand = needed[operand];
      ofOperand.include(rows, offset, model.keptRows);
      cost.haloRows = std::max(cost.haloRows, ofOperand.getHalo());
      cost.farRows = std::max(cost.farRows, ofOperand.getFar());
    }
  }
  return needed;
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
  llvm::SmallMapVector<Value, llvm::SmallMapVector<Value, int64_t, 1>, 8> inputs;
  for (Operation *op : members)
    for (const RowFlow &flow : graph.getFlows(op)) {
      Operation *def = flow.value.getDefiningOp();
      if (def && inside.contains(def))
        continue;
      for (auto [part, bytes] : flow.parts) {
        int64_t &known = inputs[flow.value][part];
        known = std::max(known, bytes);
      }
    }
  for (const auto &[value, parts] : inputs)
    cost.bytes += bytesOfParts(value, parts);
  int64_t read = cost.bytes;
  auto isInside = [&](Operation *op) { return inside.contains(op); };
  for (Operation *op : members)
    if (graph.getRoles().isReadElsewhere(op->getResult(0), isInside))
      cost.bytes += storedBytes(op->getResult(0));
  SmallVector<Operation *> ops = graph.withDuplicated(members);
  DenseMap<Value, NeededRows> needed = addHalo(ops, model, cost);
  cost.operations = ops.size();
  cost.stages = countStages(ops);
  RowSpace space = graph.getRoles().getSpace(members.front());
  cost.loops = space.isParameter ? cost.operations : countRowLoops(ops);
  int64_t rows = space.getRows();
  // A kernel without taps may go row by row.
  int64_t held = cost.bytes / rows * (cost.haloRows ? model.heldRows + cost.haloRows : 1);
  cost.reread = held > model.heldBytes ? read * (cost.stages - 1) : 0;
  for (const auto &[value, parts] : inputs)
    cost.reread += bytesOfParts(value, parts) * needed.lookup(value).getFar();
  return cost;
}
