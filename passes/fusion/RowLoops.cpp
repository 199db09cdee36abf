//===- RowLoops.cpp - loops over columns that operations of a row take --------===//
#include "passes/fusion/RowLoops.h"

#include "ir/seq/SeqOps.h"

#include <functional>
#include <numeric>
#include <set>

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// The row is cut in front of column `offset` of every `period` columns.
struct Cut {
  int64_t period, offset;
  auto operator<=>(const Cut &) const = default;
};
using Cuts = std::set<Cut>;
} // namespace

/// What a row has of columns, as heads of some; without batch and time.
static ArrayRef<int64_t> rowShapeOf(Operation *op) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  return shape.drop_front(std::min<size_t>(2, shape.size()));
}

static int64_t columnsOf(Operation *op) {
  ArrayRef<int64_t> shape = rowShapeOf(op);
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

/// Where an operation itself cuts its row: between heads, and between columns that change places.
static Cuts cutsOf(Operation *op) {
  ArrayRef<int64_t> shape = rowShapeOf(op);
  if (shape.empty())
    return {};
  int64_t period = shape.back();
  Cuts cuts;
  if (columnsOf(op) > period)
    cuts.insert({period, 0});
  auto permute = dyn_cast<seq::PermuteOp>(op);
  if (!permute)
    return cuts;
  int64_t rotated = permute.getRotated();
  if (permute.getStyle() == seq::PairStyle::half_split)
    cuts.insert({period, rotated / 2});
  cuts.insert({period, rotated % period});
  return cuts;
}

/// Loops between the cuts of a row: those that repeat are one loop over heads.
static int64_t countLoops(const Cuts &cuts, int64_t columns) {
  int64_t period = 1;
  for (Cut cut : cuts)
    period = std::min(columns, std::lcm(period, cut.period));
  std::set<int64_t> places = {0};
  for (Cut cut : cuts)
    for (int64_t place = cut.offset; place < period; place += cut.period)
      places.insert(place);
  return static_cast<int64_t>(places.size());
}

namespace {
/// The cuts of the loops that compute each operation.
class LoopCuts {
public:
  explicit LoopCuts(ArrayRef<Operation *> ops) : ops(ops) {
    for (Operation *op : ops)
      own.try_emplace(op, cutsOf(op));
  }
  bool areAlike() const {
    Cuts all;
    for (const auto &[op, cuts] : own)
      all.insert(cuts.begin(), cuts.end());
    return all.size() <= 1;
  }
  int64_t count() {
    propagate();
    int64_t columns = 1, loops = 0;
    for (Operation *op : ops)
      columns = std::max(columns, columnsOf(op));
    for (Operation *op : ops)
      loops += countLoops(own[op], columns);
    return loops;
  }

private:
  /// From operands to what is computed from them, then back to all operands.
  void propagate() {
    for (Operation *op : ops)
      forEachOperand(op, [&](Operation *operand) { include(op, operand); });
    for (Operation *op : llvm::reverse(ops))
      forEachOperand(op, [&](Operation *operand) { include(operand, op); });
  }
  /// That is computed in the same loop: a sum is complete only behind its own.
  void forEachOperand(Operation *op, function_ref<void(Operation *)> visit) {
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp(); def && own.contains(def) && !isa<seq::ReduceOp>(def))
        visit(def);
  }
  void include(Operation *op, Operation *other) { own[op].insert(own[other].begin(), own[other].end()); }

  ArrayRef<Operation *> ops;
  DenseMap<Operation *, Cuts> own;
};
} // namespace

int64_t stretto::passes::countRowLoops(ArrayRef<Operation *> ops) {
  LoopCuts cuts(ops);
  return cuts.areAlike() ? static_cast<int64_t>(ops.size()) : cuts.count();
}
