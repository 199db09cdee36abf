//===- RowDemand.cpp - what one loop over columns asks for ----------------===//
#include "codegen/rows/RowDemand.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// What the code of an operation reads: the factors of a product that it takes over, else its operands.
static SmallVector<Value> valuesRead(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (!isa<arith::AddFOp, arith::SubFOp>(op))
    return values;
  for (auto [i, value] : llvm::enumerate(values))
    if (isContracted(value)) {
      auto product = value.getDefiningOp<arith::MulFOp>();
      return {product.getLhs(), product.getRhs(), values[1 - i]};
    }
  return values;
}

RowDemand::RowDemand(const RowPlan &plan, const Nest &nest, const ColumnLoop &loop)
    : RowDemand(plan, nest, loop, [](Value) { return true; }, [](const Item &) -> Item * { return nullptr; }) {}

RowDemand::RowDemand(const RowPlan &plan, const Nest &nest, const ColumnLoop &loop, function_ref<bool(Value)> mayRoll,
                     function_ref<Item *(const Item &)> find)
    : plan(plan), domain{nest.heads, loop.length} {
  for (const Piece &piece : loop.pieces)
    start(piece, 0);
  follow(mayRoll, find, {});
}

RowDemand::RowDemand(const RowPlan &plan, Domain domain, ArrayRef<Start> starts, function_ref<bool(Value)> mayRoll,
                     int64_t reach, const Ahead &ahead)
    : plan(plan), domain(domain), reach(reach) {
  for (const Start &each : starts)
    start(*each.piece, each.row);
  follow(mayRoll, [](const Item &) -> Item * { return nullptr; }, ahead);
}

void RowDemand::start(const Piece &piece, int64_t row) {
  const Root &root = plan.roots()[piece.root];
  auto [term, index] = plan.behindMovements(root.value, piece.index, domain);
  if (root.kind == Root::store || !isContracted(term)) {
    ask(root.value, piece.index, {row});
    return;
  }
  ask(term.getDefiningOp()->getOperand(0), index, {row});
  ask(term.getDefiningOp()->getOperand(1), index, {row});
}

/// The rows in spans, in which each is no more than `reach` rows behind the one before.
static SmallVector<RowRange, 1> spansOf(const std::set<int64_t> &rows, int64_t reach) {
  SmallVector<RowRange, 1> spans;
  for (int64_t row : rows) {
    if (spans.empty() || row - spans.back().high > reach)
      spans.push_back({row, row});
    spans.back().high = row;
  }
  return spans;
}

/// Later operations first: all that read a value have asked for it when its turn comes.
void RowDemand::follow(function_ref<bool(Value)> mayRoll, function_ref<Item *(const Item &)> find, const Ahead &ahead) {
  for (auto &[key, item] : known) {
    ordered.push_back(&item);
    if ((item.found = find(item)))
      continue;
    if (auto later = ahead.find(key); later != ahead.end())
      item.rows.insert(later->second);
    item.spans = spansOf(item.rows, reach);
    item.isRolling = item.index.column && item.rows.size() > item.spans.size() && mayRoll(item.value);
    askFrom(item);
  }
}

RowDemand::Key RowDemand::keyOf(Value value, Index index) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return {static_cast<int64_t>(argument.getArgNumber()) - argument.getOwner()->getNumArguments(), index};
  Operation *op = value.getDefiningOp();
  return {std::distance(op->getBlock()->begin(), op->getIterator()), index};
}

RowDemand::Item *RowDemand::lookup(Value value, Index index) {
  auto it = known.find(keyOf(value, index));
  return it == known.end() ? nullptr : &it->second;
}

RowDemand::Item &RowDemand::ask(Value value, Index index, const std::set<int64_t> &rows) {
  Item &item = known[keyOf(value, index)];
  item.value = value;
  item.index = index;
  if (plan.isRowless(value))
    item.rows = {0};
  else
    item.rows.insert(rows.begin(), rows.end());
  return item;
}

void RowDemand::askFrom(Item &item) {
  Operation *op = item.value.getDefiningOp();
  if (!op || isa<seq::ReduceOp>(op))
    return;
  std::set<int64_t> rows = item.rows;
  if (item.isRolling) {
    rows.clear();
    for (RowRange span : item.spans)
      rows.insert(span.high);
  }
  if (auto tap = dyn_cast<seq::TapOp>(op)) {
    std::set<int64_t> tapped;
    for (int64_t row : rows)
      tapped.insert(row + static_cast<int64_t>(tap.getOffset()));
    item.reads.push_back(&ask(tap.getOperand(), item.index, tapped));
  } else if (isa<seq::MovementOp>(op)) {
    const Fit &fit = plan.fitOf(op, item.index, domain);
    item.reads.push_back(&ask(sourceOperand(op, fit), fit.index, rows));
  } else {
    for (Value value : valuesRead(op))
      item.reads.push_back(&ask(value, item.index, rows));
  }
}

KernelDemand::KernelDemand(const RowPlan &plan, function_ref<bool(Value)> mayRoll, function_ref<bool(Value)> mayCache) {
  for (const RowPhase &phase : plan.phases()) {
    if (phase.runsAhead())
      continue;
    size_t before = all.size(); // loops of earlier stages
    for (const Nest &nest : phase.all)
      for (const ColumnLoop &loop : nest.loops) {
        auto find = [&](const RowDemand::Item &item) -> RowDemand::Item * {
          if (!item.index.column || item.range() != RowRange{} || !mayCache(item.value))
            return nullptr;
          for (size_t i = 0; i < before; ++i) {
            RowDemand::Item *other = all[i].demand.lookup(item.value, item.index);
            if (all[i].demand.visited() == Domain{nest.heads, loop.length} && other && other->rows.count(0))
              return other->found ? other->found : other;
          }
          return nullptr;
        };
        all.push_back({&loop, RowDemand(plan, nest, loop, mayRoll, find)});
        for (const RowDemand::Item *item : all.back().demand.items())
          if (item->found)
            item->found->isCached = true;
      }
  }
}
