//===- RowWalk.cpp - how a rowwise kernel is laid out over blocks and threads ===//
#include "codegen/cuda/RowWalk.h"

#include "codegen/rows/RowDemand.h"

#include "ir/seq/TensorBytes.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

constexpr int64_t narrowShare = 8; // sections that have so many times fewer columns than others share thread blocks
constexpr int64_t leastStaggeredSteps = 4; // of a chunk, which computes some stages of one row more
constexpr int64_t mostStaggeredRegisters =
    24; // of one row, of which a thread holds two: of 128, softmax spills with 32

static bool hasSharedSums(const RowPlan &plan, ArrayRef<RowPhase> phases) {
  bool shares = false;
  forEachSection(phases, [&](const Section &section) {
    shares |= plan.roots()[section.root].kind == Root::columnSum && !isInjective(plan, section.root);
  });
  return shares;
}

static bool hasReductions(const RowPlan &plan, ArrayRef<RowPhase> phases) {
  bool reduces = false;
  forEachSection(phases, [&](const Section &section) { reduces |= plan.roots()[section.root].kind == Root::reduce; });
  return reduces;
}

bool stretto::codegen::mayTile(const RowPlan &plan, ArrayRef<RowPhase> phases) {
  return !hasReductions(plan, phases) && !hasSharedSums(plan, phases);
}

//===- Parts --------------------------------------------------------------------===//

/// Values of a body that are the same in each sequence: tables by time, what all rows share, and what follows from
/// these.
static llvm::DenseSet<Value> findTables(kern::RowKernel op) {
  llvm::DenseSet<Value> tables;
  for (BlockArgument argument : op.getBody().getArguments())
    if (op.getMap(argument.getArgNumber()) != kern::RowMap::row)
      tables.insert(argument);
  for (Operation &inner : op.getBody().front().without_terminator())
    if (llvm::all_of(inner.getOperands(), [&](Value operand) { return tables.contains(operand); }))
      tables.insert(inner.result_begin(), inner.result_end());
  return tables;
}

static RowDemand demandOf(const RowPlan &plan, const Section &section) {
  Nest nest{section.domain.heads, {}};
  ColumnLoop loop{section.domain.length, {section}};
  return RowDemand(plan, nest, loop);
}

namespace {
/// Sections that share a value of a row, directly or by others, are of one class.
class SectionClasses {
public:
  explicit SectionClasses(const RowPlan &plan);

  unsigned count() const { return classes.getNumClasses(); }
  unsigned of(const Section &section) const { return classes[numbers.at(keyOf(section))]; }

private:
  using Key = std::tuple<unsigned, int64_t, int64_t, Index>;
  static Key keyOf(const Section &section) {
    return {section.root, section.domain.heads, section.domain.length, section.index};
  }
  void joinRoots(const RowPlan &plan);
  void joinValues(const RowPlan &plan);
  void joinNarrow();

  SmallVector<const Section *> sections;
  std::map<Key, unsigned> numbers;
  llvm::IntEqClasses classes;
};
} // namespace

SectionClasses::SectionClasses(const RowPlan &plan) {
  forEachSection(plan.phases(), [&](const Section &section) {
    numbers.emplace(keyOf(section), sections.size());
    sections.push_back(&section);
  });
  classes.grow(sections.size());
  joinRoots(plan);
  joinValues(plan);
  joinNarrow();
  classes.compress();
}

/// What is added up together: a sum along a row; a sum of columns to which several elements of a row add.
void SectionClasses::joinRoots(const RowPlan &plan) {
  llvm::DenseMap<unsigned, unsigned> first;
  for (auto [i, section] : llvm::enumerate(sections)) {
    Root::Kind kind = plan.roots()[section->root].kind;
    if (kind == Root::reduce || (kind == Root::columnSum && !isInjective(plan, section->root)))
      classes.join(first.try_emplace(section->root, i).first->second, i);
  }
}

/// What is computed for each row and column (of a section of one element: for each row), tables aside, and sums along
/// rows, by those who read them.
void SectionClasses::joinValues(const RowPlan &plan) {
  std::map<std::tuple<int64_t, int64_t, const void *, int64_t, int64_t>, unsigned> first;
  llvm::DenseMap<unsigned, unsigned> firstOfRoot;
  for (auto [i, section] : llvm::enumerate(sections))
    firstOfRoot.try_emplace(section->root, i);
  llvm::DenseSet<Value> tables = findTables(plan.kernel());
  for (auto [i, section] : llvm::enumerate(sections)) {
    RowDemand demand = demandOf(plan, *section);
    for (const RowDemand::Item *item : demand.items()) {
      if (auto reduce = item->value.getDefiningOp<seq::ReduceOp>())
        classes.join(firstOfRoot.at(plan.numberOf(reduce)), i);
      bool isColumn = item->index.column || section->domain == Domain{1, 1};
      if (!isColumn || tables.contains(item->value))
        continue;
      auto [heads, length] = section->domain;
      auto [known, isNew] =
          first.try_emplace({heads, length, item->value.getAsOpaquePointer(), item->index.base, item->index.head}, i);
      classes.join(known->second, i);
    }
  }
}

/// Classes that would keep few threads busy become one.
void SectionClasses::joinNarrow() {
  std::map<unsigned, int64_t> widths; // of the widest loop, by the class's first section
  int64_t widest = 0;
  for (auto [i, section] : llvm::enumerate(sections)) {
    int64_t &width = widths[classes.findLeader(i)];
    width = std::max(width, section->domain.heads * section->domain.length);
    widest = std::max(widest, width);
  }
  std::optional<unsigned> narrow;
  for (auto [leader, width] : widths)
    if (width * narrowShare <= widest)
      narrow = classes.join(narrow.value_or(leader), leader);
}

/// The sections of some nests that `choose` takes, in the same loops.
static SmallVector<Nest, 1> nestsOf(ArrayRef<Nest> nests, llvm::function_ref<bool(const Section &)> choose) {
  SmallVector<Nest, 1> kept;
  for (const Nest &nest : nests) {
    Nest ofNest{nest.heads, {}};
    for (const ColumnLoop &loop : nest.loops) {
      ColumnLoop ofLoop{loop.length, {}};
      llvm::copy_if(loop.sections, std::back_inserter(ofLoop.sections), choose);
      if (!ofLoop.sections.empty())
        ofNest.loops.push_back(std::move(ofLoop));
    }
    if (!ofNest.loops.empty())
      kept.push_back(std::move(ofNest));
  }
  return kept;
}

SmallVector<RowPhase, 0> stretto::codegen::phasesOf(ArrayRef<RowPhase> phases,
                                                    llvm::function_ref<bool(const Section &)> choose) {
  SmallVector<RowPhase, 0> kept;
  for (const RowPhase &phase : phases)
    if (auto all = nestsOf(phase.all, choose); !all.empty())
      kept.push_back({phase.level, phase.rows, std::move(all), nestsOf(phase.early, choose)});
  return kept;
}

/// Loops of one section each.
static SmallVector<Nest, 1> takeApart(ArrayRef<Nest> nests) {
  SmallVector<Nest, 1> apart;
  for (const Nest &nest : nests)
    for (const ColumnLoop &loop : nest.loops)
      for (const Section &section : loop.sections)
        apart.push_back({nest.heads, {{loop.length, {section}}}});
  return apart;
}

std::vector<SmallVector<RowPhase, 0>> stretto::codegen::splitSections(const RowPlan &plan) {
  SectionClasses classes(plan);
  std::vector<SmallVector<RowPhase, 0>> parts(classes.count());
  for (auto [number, part] : llvm::enumerate(parts)) {
    part =
        phasesOf(plan.phases(), [&, number = number](const Section &section) { return classes.of(section) == number; });
    if (mayTile(plan, part))
      for (RowPhase &phase : part)
        phase.all = takeApart(phase.all);
  }
  return parts;
}

//===- Layouts ------------------------------------------------------------------===//

/// Bytes of the widest number.
static int64_t numberBytes(kern::RowKernel op) {
  int64_t bytes = 4;
  op->walk([&](Operation *inner) {
    for (Type type : inner->getResultTypes())
      bytes = std::max<int64_t>(bytes, elementBytes(type));
  });
  return bytes;
}

RowPart::RowPart(const RowPlan &plan, SmallVector<RowPhase, 0> partPhases, kern::ThreadScheduleAttr schedule, bool tile)
    : phases(std::move(partPhases)), threads(schedule.getThreads()), reduces(hasReductions(plan, phases)),
      sharesSums(hasSharedSums(plan, phases)) {
  int64_t lanes = std::max(schedule.getLanes(), leastLanes(plan.kernel()));
  if (tile) {
    forEachSection(phases, [&](const Section &section) {
      ThreadLayout layout = layOutThreads(section.domain, schedule.getThreads(), lanes, false);
      tiles = std::max<int64_t>(tiles, llvm::divideCeil(section.domain.heads * layout.vectors, schedule.getThreads()));
    });
    threads *= tiles;
  }
  addLayouts(plan, lanes);
  isWide = columnRegisters(plan.kernel()) > mostColumnRegisters;
  if (!isWide || !sharesSums)
    return;
  // Heads that add to the same columns are visited one after the other, each column by one thread.
  for (auto &[domain, layout] : layouts) {
    layout.headsPerPass = 1;
    layout.pad = std::max(layout.pad, threads);
    layout.slots = layout.domain.heads * layout.slotsPerHead;
  }
}

void RowPart::addLayouts(const RowPlan &plan, int64_t lanes) {
  std::set<DomainKey> summedByHead;
  forEachSection(phases, [&](const Section &section) {
    if (plan.roots()[section.root].kind == Root::reduce && !GroupReductions::isWhole(section))
      summedByHead.insert({section.domain.heads, section.domain.length});
  });
  int64_t next = 0;
  forEachSection(phases, [&](const Section &section) {
    DomainKey key{section.domain.heads, section.domain.length};
    if (layouts.contains(key))
      return;
    ThreadLayout layout = layOutThreads(section.domain, threads, lanes, summedByHead.contains(key));
    layouts.emplace(key, layout);
    numbers.emplace(key, next);
    next += layout.slots;
  });
}

int64_t RowPart::columnRegisters(kern::RowKernel op) const {
  int64_t most = 0;
  for (const auto &[domain, layout] : layouts)
    most = std::max(most, layout.slots * layout.lanes);
  return most * numberBytes(op) / 4;
}

RowPlan stretto::codegen::planScheduled(kern::RowKernel op) {
  RowPlan plan(op);
  RowWalk walk(plan);
  bool isStaggered = walk.schedule.getRows() == 1 && plan.lastReduceLevel() > 0 && walk.steps >= leastStaggeredSteps &&
                     op.getBody().getOps<seq::TapOp>().empty() && walk.columnRegisters() <= mostStaggeredRegisters;
  return isStaggered ? RowPlan::staggered(op) : std::move(plan);
}

RowWalk::RowWalk(const RowPlan &plan, kern::ThreadScheduleAttr schedule)
    : plan(plan), op(plan.kernel()), schedule(schedule), isRagged(true), isOfSpans(true), firstUnsure(1) {
  std::tie(batch, time) = op.getRows();
  steps = llvm::divideCeil(chunkRows(), schedule.getRows());
  parts.emplace_back(plan, SmallVector<RowPhase, 0>(plan.phases()), schedule, /*mayTile=*/false);
}

RowWalk::RowWalk(const RowPlan &plan)
    : plan(plan), op(plan.kernel()), schedule(cast<kern::ThreadScheduleAttr>(*op.getSchedule())), isOfSpans(false) {
  std::tie(batch, time) = op.getRows();
  steps = llvm::divideCeil(std::min(chunkRows(), time), schedule.getRows());
  isRagged = chunkRows() % schedule.getRows() != 0 || time % chunkRows() != 0;
  int64_t lastChunk = (llvm::divideCeil(time, chunkRows()) - 1) * chunkRows();
  firstUnsure = time - (lastChunk + rowsWalked() - schedule.getRows());
  if (schedule.getTiles() > 1)
    for (SmallVector<RowPhase, 0> &phases : splitSections(plan)) {
      bool isTiled = mayTile(plan, phases);
      parts.emplace_back(plan, std::move(phases), schedule, isTiled);
    }
  else
    parts.emplace_back(plan, SmallVector<RowPhase, 0>(plan.phases()), schedule, /*mayTile=*/false);
}

int64_t RowWalk::leastSureSteps() const {
  if (isOfSpans)
    return steps;
  int64_t lastChunk = (llvm::divideCeil(time, chunkRows()) - 1) * chunkRows();
  return std::max<int64_t>(0, time - lastChunk - plan.halo().high) / schedule.getRows();
}

int64_t RowWalk::columnRegisters() const {
  int64_t most = 0;
  for (const RowPart &part : parts)
    most = std::max(most, part.columnRegisters(op));
  return most;
}

int64_t RowWalk::reductionBytes(CudaBuilder &b, const RowPart &part) const {
  GroupBarrier barrier(b, schedule.getThreads());
  auto layoutOf = [&](Domain domain) -> const ThreadLayout & { return part.layoutOf(domain); };
  return GroupReductions(b, plan, part.phases, barrier, schedule.getThreads(), schedule.getGroups(), rowsWalked(),
                         layoutOf)
      .sharedBytes();
}

int64_t RowWalk::columnSumBytes(const RowPart &part) const {
  int64_t bytes = 0;
  if (part.isWide)
    return bytes; // its sums are in global memory
  for (auto [number, yielded] : llvm::enumerate(kern::RowKernel(op).getYielded())) {
    SmallVector<const Section *> sections;
    forEachSection(part.phases, [&, number = number](const Section &section) {
      const Root &root = plan.roots()[section.root];
      if (root.kind == Root::columnSum && root.number == number && !isInjective(plan, section.root))
        sections.push_back(&section);
    });
    if (!sections.empty())
      bytes +=
          ColumnSumStore::sharedBytes(sections, elementCount(yielded), elementBytes(yielded), schedule.getGroups());
  }
  return bytes;
}

int64_t RowWalk::sumBytes(CudaBuilder &b) const {
  int64_t most = 0;
  for (const RowPart &part : parts)
    most = std::max(most, reductionBytes(b, part) + columnSumBytes(part));
  return most;
}

int64_t RowWalk::dynamicSumBytes(CudaBuilder &b) const {
  int64_t bytes = sumBytes(b);
  return bytes > mostStaticShared ? static_cast<int64_t>(llvm::alignTo(bytes, sharedAlignment)) : 0;
}

int64_t RowWalk::tiles() const {
  int64_t count = 0;
  for (const RowPart &part : parts)
    count += part.tiles;
  return count;
}
