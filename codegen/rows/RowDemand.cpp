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

static RowDemand::Item *findNothing(const RowDemand::Item &) { return nullptr; }

RowDemand::RowDemand(const RowPlan &plan, const Nest &nest, const ColumnLoop &loop)
    : RowDemand(plan, nest, loop, [](Value) { return true; }, findNothing) {}

RowDemand::RowDemand(const RowPlan &plan, const Nest &nest, const ColumnLoop &loop, function_ref<bool(Value)> mayRoll,
                     function_ref<Item *(const Item &)> find)
    : plan(plan), domain{nest.heads, loop.length}, byPlace(plan.places()) {
  for (const Section &section : loop.sections)
    start(section, 0);
  follow(mayRoll, find);
}

RowDemand::RowDemand(const RowPlan &plan, Domain domain, ArrayRef<Start> starts)
    : plan(plan), domain(domain), byPlace(plan.places()) {
  for (const Start &each : starts)
    start(*each.section, each.row);
  follow([](Value) { return false; }, findNothing);
}

void RowDemand::start(const Section &section, int64_t row) {
  const Root &root = plan.roots()[section.root];
  auto [term, index] = plan.behindMovements(root.value, section.index, domain);
  if (root.kind == Root::store || !isContracted(term))
    return begin(root.value, section.index, row);
  begin(term.getDefiningOp()->getOperand(0), index, row);
  begin(term.getDefiningOp()->getOperand(1), index, row);
}

void RowDemand::begin(Value value, Index index, int64_t row) { include(ask(value, index, row).begun, row); }

void RowDemand::include(Rows &known, ArrayRef<int64_t> rows) {
  for (int64_t row : rows)
    if (auto *place = llvm::lower_bound(known, row); place == known.end() || *place != row)
      known.insert(place, row);
}

/// Later operations first: all that read a value have asked for it when its turn comes.
void RowDemand::follow(function_ref<bool(Value)> mayRoll, function_ref<Item *(const Item &)> find) {
  for (int64_t place = plan.places() - 1; place >= 0; --place) {
    llvm::sort(byPlace[place], [](const Item *a, const Item *b) { return a->index > b->index; });
    for (Item *item : byPlace[place]) {
      ordered.push_back(item);
      if ((item->found = find(*item)))
        continue;
      item->isRolling = item->index.column && item->rows.size() > 1 && mayRoll(item->value);
      askFrom(*item);
    }
  }
}

RowDemand::Item *RowDemand::lookup(Value value, Index index) {
  auto &items = byPlace[plan.placeOf(value)];
  auto *it = llvm::find_if(items, [&](const Item *item) { return item->index == index; });
  return it == items.end() ? nullptr : *it;
}

RowDemand::Item &RowDemand::ask(Value value, Index index, ArrayRef<int64_t> rows) {
  Item *item = lookup(value, index);
  if (!item) {
    item = &known.emplace_back();
    item->value = value;
    item->index = index;
    byPlace[plan.placeOf(value)].push_back(item);
  }
  static constexpr int64_t storedRow = 0;
  include(item->rows, plan.isRowless(value) ? ArrayRef(storedRow) : rows);
  return *item;
}

void RowDemand::askFrom(Item &item) {
  Operation *op = item.value.getDefiningOp();
  if (!op || isa<seq::ReduceOp>(op))
    return;
  Rows rows = item.rows;
  if (item.isRolling)
    rows = {item.range().high};
  if (auto tap = dyn_cast<seq::TapOp>(op)) {
    for (int64_t &row : rows)
      row += static_cast<int64_t>(tap.getOffset());
    item.reads.push_back(&ask(tap.getOperand(), item.index, rows));
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
            if (all[i].demand.visited() == Domain{nest.heads, loop.length} && other &&
                llvm::is_contained(other->rows, 0))
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
