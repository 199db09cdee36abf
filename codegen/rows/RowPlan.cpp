//===- RowPlan.cpp - stages, demanded rows and loop nests -----------------===//
#include "codegen/rows/RowPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Whether an operation adds up, or moves what is only added up.
static bool sumsUp(Operation *user) {
  auto reduce = dyn_cast<seq::ReduceOp>(user);
  return isa<seq::ColumnSumOp>(user) || (reduce && reduce.getKind() == seq::ReduceKind::add) ||
         (leavesLanes(user) && llvm::all_of(user->getUsers(), sumsUp));
}

bool stretto::codegen::isContracted(Value product) {
  return product.getDefiningOp<arith::MulFOp>() && llvm::all_of(product.getUsers(), [](Operation *user) {
           return isa<arith::AddFOp, arith::SubFOp>(user) || sumsUp(user);
         });
}

void stretto::codegen::forEachSection(ArrayRef<RowPhase> phases, llvm::function_ref<void(const Section &)> visit) {
  for (const RowPhase &phase : phases)
    for (const Nest &nest : phase.all)
      for (const ColumnLoop &loop : nest.loops)
        for (const Section &section : loop.sections)
          visit(section);
}

llvm::DenseMap<Value, int64_t> stretto::codegen::levelsOf(Block &body) {
  llvm::DenseMap<Value, int64_t> levels;
  for (Operation &inner : body.without_terminator()) {
    int64_t level = 0;
    for (Value operand : inner.getOperands())
      level = std::max(level, levels.lookup(operand));
    for (Value result : inner.getResults())
      levels[result] = level + isa<seq::ReduceOp>(inner);
  }
  return levels;
}

RowPlan::RowPlan(kern::RowKernel op, StripRange range) : RowPlan(op, range, false) {}

RowPlan RowPlan::staggered(kern::RowKernel op) { return RowPlan(op, {}, true); }

RowPlan::RowPlan(kern::RowKernel op, StripRange range, bool staggers)
    : op(op), range(range), staggers(staggers), alike(range.count), levels(levelsOf(op.getBody().front())) {
  Block &body = op.getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (op.getMap(argument.getArgNumber()) != kern::RowMap::shared)
      rowDependent.insert(argument);
  for (Operation &inner : body.without_terminator()) {
    placeOfOperation.try_emplace(&inner, places());
    // A reduction lives in the scratch memory of its row, a tap is zero at some rows, whatever they read.
    bool dependent = isa<seq::ReduceOp, seq::TapOp>(inner) ||
                     llvm::any_of(inner.getOperands(), [&](Value operand) { return rowDependent.contains(operand); });
    if (dependent)
      rowDependent.insert_range(inner.getResults());
  }
  findDemand();
  findRoots();
  formPhases();
}

int64_t RowPlan::placeOf(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber();
  return placeOfOperation.at(value.getDefiningOp());
}

int64_t RowPlan::lastReduceLevel() const {
  int64_t last = 0;
  for (seq::ReduceOp reduce : kernel().getBody().getOps<seq::ReduceOp>())
    last = std::max(last, levels.lookup(reduce.getOperand()));
  return last;
}

void RowPlan::findDemand() {
  int64_t last = lastReduceLevel();
  auto need = [&](Value value, RowRange rows) {
    auto [it, isNew] = demand.try_emplace(value, rows);
    if (!isNew)
      it->second.include(rows);
    wholeHalo.include(rows);
  };
  for (Value value : op.getYielded())
    need(value, {0, 0});
  for (Operation &inner : llvm::reverse(op.getBody().front().without_terminator())) {
    auto known = inner.getNumResults() ? demand.find(inner.getResult(0)) : demand.end();
    if (known == demand.end())
      continue;
    // The slots of a reduction hold the stored rows too: where a row beyond an end of the sequence is masked, the
    // address that is read in its place lies among them.
    if (auto reduce = dyn_cast<seq::ReduceOp>(inner))
      known->second.include({0, staggers ? last - levels.lookup(reduce.getOperand()) : 0});
    RowRange rows = known->second;
    if (auto tap = dyn_cast<seq::TapOp>(inner)) {
      int64_t offset = static_cast<int64_t>(tap.getOffset());
      rows = {rows.low + offset, rows.high + offset};
    }
    for (Value operand : inner.getOperands())
      need(operand, rows);
  }
}

void RowPlan::addRoot(Root root, int64_t level) {
  allRoots.push_back(root);
  rootLevels.push_back(level);
}

void RowPlan::findRoots() {
  for (Operation &inner : op.getBody().front()) {
    auto reduce = dyn_cast<seq::ReduceOp>(inner);
    if (!reduce || !demand.contains(reduce.getResult()))
      continue;
    rootOfReduction[reduce] = allRoots.size();
    addRoot({Root::reduce, reduce.getOperand(), static_cast<unsigned>(allReductions.size()),
             demand.lookup(reduce.getResult())},
            levels.lookup(reduce.getOperand()));
    allReductions.push_back(reduce);
  }
  for (auto [i, value] : llvm::enumerate(op.getYielded())) {
    if (range.isStored && value == op.getBody().getArgument(0))
      continue;
    auto sum = value.getDefiningOp<seq::ColumnSumOp>();
    Value computed = sum ? sum.getOperand() : value;
    addRoot({sum ? Root::columnSum : Root::store, computed, static_cast<unsigned>(i), {}}, levels.lookup(computed));
  }
}

/// Whether two sections of a column sum add to the same number.
static bool targetsMeet(const Section &a, const Section &b) {
  auto length = [](const Section &section) { return section.target.column ? section.domain.length : 1; };
  for (int64_t h = 0; h < a.domain.heads; ++h)
    for (int64_t i = 0; i < b.domain.heads; ++i) {
      int64_t first = a.target.base + h * a.target.head, second = b.target.base + i * b.target.head;
      if (first < second + length(b) && second < first + length(a))
        return true;
    }
  return false;
}

/// Adds a section to the nest and the column loop that it can share. A loop loads its column sums in front and stores
/// them behind: sections of one sum that meet take turns.
void RowPlan::place(SmallVectorImpl<Nest> &nests, const Section &section) {
  auto *nest = llvm::find_if(nests, [&](Nest &n) { return n.heads == section.domain.heads; });
  if (nest == nests.end()) {
    nests.push_back({section.domain.heads, {}});
    nest = std::prev(nests.end());
  }
  bool isSum = allRoots[section.root].kind == Root::columnSum;
  auto meets = [&](const Section &other) { return isSum && other.root == section.root && targetsMeet(section, other); };
  auto *loop = llvm::find_if(nest->loops, [&](ColumnLoop &l) {
    return l.length == section.domain.length && llvm::none_of(l.sections, meets);
  });
  if (loop == nest->loops.end()) {
    nest->loops.push_back({section.domain.length, {}});
    loop = std::prev(nest->loops.end());
  }
  loop->sections.push_back(section);
}

void RowPlan::formPhases() {
  for (unsigned i = 0; i < allRoots.size(); ++i) {
    auto sections = divide(i);
    Root &root = allRoots[i];
    bool isReduce = root.kind == Root::reduce;
    // A stored value joins the reductions that read the same rows, where there are some.
    auto *phase = llvm::find_if(allPhases, [&](RowPhase &p) {
      return p.level == rootLevels[i] && (isReduce ? p.rows == root.rows : p.rows.high == 0);
    });
    if (phase == allPhases.end()) {
      allPhases.push_back({rootLevels[i], root.rows, {}, {}});
      phase = std::prev(allPhases.end());
    }
    root.accumulated = isReduce && sections.size() > 1;
    for (const Section &section : sections) {
      place(phase->all, section);
      if (isReduce && root.rows.low < root.rows.high)
        place(phase->early, section);
    }
  }
  llvm::stable_sort(allPhases, [](const RowPhase &a, const RowPhase &b) { return a.level < b.level; });
}
