//===- RowWalk.cpp - how a rowwise kernel is laid out over blocks and threads ===//
#include "codegen/cuda/RowWalk.h"

#include "codegen/rows/RowDemand.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

constexpr int64_t leastStaggeredSteps = 4; // of a chunk, which computes some stages of one row more
constexpr int64_t mostStaggeredRegisters =
    24; // of one row, of which a thread holds two: of 128, softmax spills with 32

static bool hasSharedSums(const RowPlan &plan, ArrayRef<RowPhase> phases) {
  bool shares = false;
  forEachPiece(phases, [&](const Piece &piece) {
    shares |= plan.roots()[piece.root].kind == Root::columnSum && !isInjective(plan, piece.root);
  });
  return shares;
}

bool stretto::codegen::mayTile(const RowPlan &plan) {
  return plan.reductions().empty() && !hasSharedSums(plan, plan.phases());
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

/// What a piece alone computes for each row and column (a piece of one element: for each row), `tables` aside.
static std::set<std::tuple<const void *, int64_t, int64_t>>
valuesOf(const RowPlan &plan, const llvm::DenseSet<Value> &tables, const Piece &piece) {
  std::set<std::tuple<const void *, int64_t, int64_t>> values;
  Nest nest{piece.domain.heads, {}};
  ColumnLoop loop{piece.domain.length, {piece}};
  RowDemand demand(plan, nest, loop);
  for (const RowDemand::Item *item : demand.items()) {
    bool isColumn = item->index.column || piece.domain == Domain{1, 1};
    if (isColumn && !tables.contains(item->value))
      values.insert({item->value.getAsOpaquePointer(), item->index.base, item->index.head});
  }
  return values;
}

std::vector<SmallVector<RowPhase, 0>> stretto::codegen::splitPieces(const RowPlan &plan) {
  SmallVector<const Piece *> pieces;
  forEachPiece(plan.phases(), [&](const Piece &piece) { pieces.push_back(&piece); });
  llvm::IntEqClasses classes(pieces.size());
  std::map<std::tuple<int64_t, int64_t, const void *, int64_t, int64_t>, unsigned> first;
  llvm::DenseSet<Value> tables = findTables(plan.kernel());
  for (auto [i, piece] : llvm::enumerate(pieces))
    for (auto [value, base, head] : valuesOf(plan, tables, *piece)) {
      auto [known, isNew] = first.try_emplace({piece->domain.heads, piece->domain.length, value, base, head}, i);
      classes.join(known->second, i);
    }
  classes.compress();
  std::vector<SmallVector<RowPhase, 0>> parts(classes.getNumClasses());
  unsigned number = 0;
  for (const RowPhase &phase : plan.phases()) {
    for (SmallVector<RowPhase, 0> &part : parts)
      part.push_back({phase.level, phase.rows, {}, {}});
    for (const Nest &nest : phase.all)
      for (const ColumnLoop &loop : nest.loops)
        for (const Piece &piece : loop.pieces)
          parts[classes[number++]].back().all.push_back({nest.heads, {{loop.length, {piece}}}});
  }
  return parts;
}

//===- Layouts ------------------------------------------------------------------===//

/// Bytes of the widest number.
static int64_t numberBytes(kern::RowKernel op) {
  int64_t bytes = 4;
  op->walk([&](Operation *inner) {
    for (Type type : inner->getResultTypes())
      bytes = std::max<int64_t>(bytes, getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8);
  });
  return bytes;
}

int64_t stretto::codegen::leastLanes(kern::RowKernel op) {
  return llvm::any_of(op.getBody().getOps<seq::PermuteOp>(),
                      [](seq::PermuteOp permute) {
                        return permute.getStyle() == seq::PairStyle::interleaved && permute.getRotated() > 0;
                      })
             ? 2
             : 1;
}

RowPart::RowPart(const RowPlan &plan, SmallVector<RowPhase, 0> partPhases, kern::ThreadScheduleAttr schedule, bool tile)
    : phases(std::move(partPhases)), threads(schedule.getThreads()), sharesSums(hasSharedSums(plan, phases)) {
  int64_t lanes = std::max(schedule.getLanes(), leastLanes(plan.kernel()));
  if (tile) {
    forEachPiece(phases, [&](const Piece &piece) {
      ThreadLayout layout = layOutThreads(piece.domain, schedule.getThreads(), lanes, false);
      tiles = std::max<int64_t>(tiles, llvm::divideCeil(piece.domain.heads * layout.vectors, schedule.getThreads()));
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
  forEachPiece(phases, [&](const Piece &piece) {
    if (plan.roots()[piece.root].kind == Root::reduce && !GroupReductions::isWhole(piece))
      summedByHead.insert({piece.domain.heads, piece.domain.length});
  });
  int64_t next = 0;
  forEachPiece(phases, [&](const Piece &piece) {
    DomainKey key{piece.domain.heads, piece.domain.length};
    if (layouts.contains(key))
      return;
    ThreadLayout layout = layOutThreads(piece.domain, threads, lanes, summedByHead.contains(key));
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
                     op.getBody().getOps<seq::TapOp>().empty() &&
                     walk.parts[0].columnRegisters(op) <= mostStaggeredRegisters;
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
  if (schedule.getTiles() > 1 && mayTile(plan))
    for (SmallVector<RowPhase, 0> &phases : splitPieces(plan))
      parts.emplace_back(plan, std::move(phases), schedule, /*mayTile=*/true);
  else
    parts.emplace_back(plan, SmallVector<RowPhase, 0>(plan.phases()), schedule, /*mayTile=*/false);
}

int64_t RowWalk::leastSureSteps() const {
  if (isOfSpans)
    return steps;
  int64_t lastChunk = (llvm::divideCeil(time, chunkRows()) - 1) * chunkRows();
  return std::max<int64_t>(0, time - lastChunk - plan.halo().high) / schedule.getRows();
}

int64_t RowWalk::tiles() const {
  int64_t count = 0;
  for (const RowPart &part : parts)
    count += part.tiles;
  return count;
}
