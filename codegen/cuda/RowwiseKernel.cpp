//===- RowwiseKernel.cpp - the function of a kern.rowwise -----------------------===//
//
//   a team of threads has a chunk of rows of one sequence, a thread some columns of them
//     reductions of the rows in front of the chunk that later rows read
//     the first rows that stay in registers
//     for each step of `rows` rows: stage after stage, a barrier where reductions lie between
//       loads and arithmetic of all rows; sums of columns in registers; stores at the end
//     the sums of columns
#include "codegen/cuda/ControlFlow.h"
#include "codegen/cuda/KeptRows.h"
#include "codegen/cuda/RowWalk.h"
#include "codegen/rows/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;

namespace {
class RowwiseBuilder {
public:
  RowwiseBuilder(CudaBuilder &builder, gpu::GPUModuleOp kernels, const RowWalk &rowWalk)
      : b(builder), walk(rowWalk), op(rowWalk.op), plan(walk.plan), function(builder, kernels, op),
        reductions(b, plan, walk.schedule.getThreads(), walk.schedule.getTeams(), walk.rowsWalked(),
                   [this](Domain domain) -> const ThreadLayout & { return walk.layoutOf(domain); }),
        emitter(b, plan, op, walk.time, [this](seq::ReduceOp reduce, int64_t row, Value element) {
          return reductions.read(reduce, row, element);
        }) {}

  void build();

private:
  /// A piece at one position of its layout.
  struct Site {
    const Piece *piece;
    const ThreadLayout *layout;
    int64_t slot;
  };
  struct PendingStore {
    Value condition, value, address;
    int64_t alignment;
  };

  void findThread();
  void readBuffers();
  void findPositions();
  SmallVector<Site> sitesOf(ArrayRef<Nest> nests, Root::Kind kind);
  const Position &enter(const Site &site);
  const Root &rootOf(const Site &site) { return plan.roots()[site.piece->root]; }

  void emitEarlyReductions();
  void emitSteps();
  void emitPhase(const Phase &phase);
  void emitReductions(ArrayRef<Nest> nests, int64_t row);
  void addColumnSums(ArrayRef<Nest> nests, int64_t row);
  void collectStores(ArrayRef<Nest> nests, int64_t row);
  void flushStores();
  void storeColumnSums();
  Value isStored(int64_t row);

  SmallVector<Value> keptRows(int64_t shift);
  void rememberKept(ValueRange values);

  CudaBuilder &b;
  RowWalk walk;
  kern::RowwiseOp op;
  RowPlan &plan;
  KernelFunction function;
  TeamReductions reductions;
  ThreadEmitter emitter;

  Value thread, stripThread, team, live; // of its team; of all strips; null live: each chunk exists
  Value chunk, sequence, first, last;
  std::map<int64_t, Position> positions; // by number
  SmallVector<KeptValue> kept;
  SmallVector<Site> sumSites;
  SmallVector<Value> sums; // of sumSites
  SmallVector<PendingStore> stores;
};
} // namespace

//===- Where a thread stands ----------------------------------------------------===//

void RowwiseBuilder::findThread() {
  kern::ScheduleAttr s = walk.schedule;
  int64_t chunks = op.getChunks(), block = s.getThreads() * s.getTeams(), blocks = llvm::divideCeil(chunks, s.getTeams());
  Value inBlock = b.threadIndex(block);
  team = b.divide(inBlock, s.getThreads());
  thread = b.remainder(inBlock, s.getThreads());
  stripThread = b.add(b.mul(b.blockIndexY(s.getStrips()), s.getThreads()), thread);
  chunk = b.add(b.mul(b.blockIndexX(blocks), s.getTeams()), team);
  if (chunks % s.getTeams() != 0) {
    live = b.less(chunk, chunks);
    chunk = b.minimum(chunk, b.index(chunks - 1));
  }
  int64_t perSequence = llvm::divideCeil(walk.time, walk.chunkRows());
  sequence = b.divide(chunk, perSequence);
  first = b.mul(b.remainder(chunk, perSequence), walk.chunkRows());
  last = b.minimum(b.add(first, b.index(walk.chunkRows())), b.index(walk.time));
}

void RowwiseBuilder::readBuffers() {
  Value firstRow = b.mul(sequence, walk.time);
  for (BlockArgument argument : op.getBody().getArguments()) {
    unsigned i = argument.getArgNumber();
    Type element = getElementTypeOrSelf(argument.getType());
    int64_t count = elementCount(argument);
    Value pointer = function.buffer(i);
    if (op.getMap(i) == kern::RowMap::row)
      pointer = b.address(pointer, element, b.mul(firstRow, count));
    emitter.inputs.push_back({pointer, element, op.getMap(i) == kern::RowMap::shared ? 0 : count});
  }
}

void RowwiseBuilder::findPositions() {
  forEachPiece(plan, [&](const Phase &, const Nest &, const Piece &piece) {
    const ThreadLayout &layout = walk.layoutOf(piece.domain);
    int64_t number = walk.positionNumber(piece.domain);
    for (int64_t slot = 0; slot < layout.slots; ++slot)
      if (!positions.contains(number + slot))
        positions[number + slot] = positionOf(b, layout, stripThread, slot);
  });
}

SmallVector<RowwiseBuilder::Site> RowwiseBuilder::sitesOf(ArrayRef<Nest> nests, Root::Kind kind) {
  SmallVector<Site> sites;
  for (const Nest &nest : nests)
    for (const ColumnLoop &loop : nest.loops)
      for (const Piece &piece : loop.pieces) {
        const ThreadLayout &layout = walk.layoutOf(piece.domain);
        if (plan.roots()[piece.root].kind == kind)
          for (int64_t slot = 0; slot < layout.slots; ++slot)
            sites.push_back({&piece, &layout, slot});
      }
  return sites;
}

const Position &RowwiseBuilder::enter(const Site &site) {
  int64_t number = walk.positionNumber(site.piece->domain) + site.slot;
  const Position &position = positions[number];
  emitter.enterPosition(*site.layout, position, number, nullptr);
  return position;
}

//===- Stages -------------------------------------------------------------------===//

/// One part for each head, or for the whole row, from all slots that belong to it.
void RowwiseBuilder::emitReductions(ArrayRef<Nest> nests, int64_t row) {
  SmallVector<Site> sites = sitesOf(nests, Root::reduce);
  for (size_t i = 0; i < sites.size();) {
    const Piece &piece = *sites[i].piece;
    const ThreadLayout &layout = *sites[i].layout;
    seq::ReduceKind kind = const_cast<seq::ReduceOp &>(plan.reductions()[rootOf(sites[i]).number]).getKind();
    int64_t together = TeamReductions::isWhole(piece) ? layout.slots : layout.slotsPerHead;
    Type element = getElementTypeOrSelf(rootOf(sites[i]).value.getType());
    Value sum = b.identity(kind, withLanes(element, layout.lanes));
    Position position;
    for (int64_t end = i + together; i < end; ++i) {
      position = enter(sites[i]);
      Value next = emitter.accumulate(kind, sum, rootOf(sites[i]).value, row, piece.index);
      sum = position.valid ? b.select(position.valid, next, sum) : next;
    }
    reductions.leave(piece, sum, row, layout, position);
  }
}

/// Whether a row of the step belongs to the chunk; null: always.
Value RowwiseBuilder::isStored(int64_t row) {
  return walk.isRagged ? b.less(emitter.rowNumber(row), last) : Value();
}

void RowwiseBuilder::addColumnSums(ArrayRef<Nest> nests, int64_t row) {
  for (const Site &site : sitesOf(nests, Root::columnSum)) {
    auto *known = llvm::find_if(sumSites, [&](const Site &s) { return s.piece == site.piece && s.slot == site.slot; });
    Value &sum = sums[known - sumSites.begin()];
    enter(site);
    Value next = emitter.accumulate(seq::ReduceKind::add, sum, rootOf(site).value, row, site.piece->index);
    Value counts = isStored(row);
    sum = counts ? b.select(counts, next, sum) : next;
  }
}

void RowwiseBuilder::collectStores(ArrayRef<Nest> nests, int64_t row) {
  for (const Site &site : sitesOf(nests, Root::store)) {
    const Position &position = enter(site);
    unsigned number = rootOf(site).number;
    Value yielded = op.getYield().getValues()[number];
    Type element = getElementTypeOrSelf(yielded.getType());
    int64_t count = elementCount(yielded);
    Value value = b.splat(emitter.get(rootOf(site).value, row, site.piece->index), site.layout->lanes);
    DeviceBuffer buffer{function.buffer(op.getNumOperands() + number), element, count};
    Value target = emitter.elementOf(site.piece->target), rowNumber = emitter.rowNumber(row);
    emitter.goToPosition();
    Value flat = b.add(b.mul(b.add(b.mul(sequence, walk.time), rowNumber), count), target);
    Value condition = b.both(b.both(live, position.valid), isStored(row));
    stores.push_back({condition, value, b.address(buffer.pointer, element, flat),
                      emitter.alignmentOf(buffer, site.piece->target)});
  }
}

void RowwiseBuilder::flushStores() {
  for (const PendingStore &store : stores)
    b.when(store.condition, [&] { b.storeAligned(store.value, store.address, store.alignment); });
  stores.clear();
}

void RowwiseBuilder::emitPhase(const Phase &phase) {
  for (int64_t i = 0; i < walk.schedule.getRows(); ++i) {
    emitReductions(phase.all, phase.rows.high + i);
    addColumnSums(phase.all, i);
    collectStores(phase.all, i);
  }
  bool reduces = !sitesOf(phase.all, Root::reduce).empty();
  if (reduces)
    b.barrier();
}

//===- The chunk ----------------------------------------------------------------===//

void RowwiseBuilder::emitEarlyReductions() {
  for (const Phase &phase : plan.phases()) {
    if (phase.early.empty())
      continue;
    for (int64_t row = phase.rows.low; row < phase.rows.high; ++row)
      emitReductions(phase.early, row);
    b.barrier();
  }
}

/// The rows of kept values in front of the last one, `shift` rows further on.
SmallVector<Value> RowwiseBuilder::keptRows(int64_t shift) {
  SmallVector<Value> rows;
  for (const KeptValue &value : kept) {
    const ThreadLayout &layout = walk.layoutOf(value.domain);
    Piece piece{0, value.domain, value.index, {}};
    for (int64_t slot = 0; slot < layout.slots; ++slot) {
      enter({&piece, &layout, slot});
      for (int64_t row = value.rows.low; row < value.rows.high; ++row)
        rows.push_back(emitter.get(value.value, row + shift, value.index));
    }
  }
  emitter.goToPosition();
  return rows;
}

void RowwiseBuilder::rememberKept(ValueRange values) {
  auto next = values.begin();
  for (const KeptValue &value : kept) {
    const ThreadLayout &layout = walk.layoutOf(value.domain);
    Piece piece{0, value.domain, value.index, {}};
    for (int64_t slot = 0; slot < layout.slots; ++slot) {
      enter({&piece, &layout, slot});
      for (int64_t row = value.rows.low; row < value.rows.high; ++row)
        emitter.remember(value.value, row, value.index, *next++);
    }
  }
}

void RowwiseBuilder::emitSteps() {
  for (const Phase &phase : plan.phases())
    llvm::append_range(sumSites, sitesOf(phase.all, Root::columnSum));
  SmallVector<Value> carried = keptRows(0);
  size_t keptCount = carried.size();
  for (const Site &site : sumSites)
    carried.push_back(b.real(withLanes(getElementTypeOrSelf(rootOf(site).value.getType()), site.layout->lanes), 0));

  int64_t rows = walk.schedule.getRows();
  Values left = forEach(b, b.index(0), b.index(walk.steps), 1, carried, [&](Value step, ValueRange now) {
    Value walked = b.mul(step, rows);
    reductions.enterRows(walked);
    emitter.enterRows(b.add(first, walked), b.getInsertionBlock()->getParentOp(), walk.firstUnsure);
    rememberKept(now.take_front(keptCount));
    sums = SmallVector<Value>(now.drop_front(keptCount));
    for (const Phase &phase : plan.phases())
      emitPhase(phase);
    Values next(keptRows(rows));
    flushStores();
    llvm::append_range(next, sums);
    return next;
  });
  sums = SmallVector<Value>(ArrayRef<Value>(left).drop_front(keptCount));
}

void RowwiseBuilder::storeColumnSums() {
  ColumnSumStore store(b, function, walk.threads, walk.schedule.getTeams(), stripThread, team, live);
  for (auto [i, yielded] : llvm::enumerate(op.getYield().getValues())) {
    SmallVector<ColumnSum> ofResult;
    unsigned root = 0;
    for (auto [site, sum] : llvm::zip_equal(sumSites, sums))
      if (rootOf(site).number == i) {
        root = site.piece->root;
        ofResult.push_back({site.piece, site.layout, enter(site), sum});
      }
    if (ofResult.empty())
      continue;
    int64_t count = elementCount(yielded);
    Value pointer = b.address(function.buffer(op.getNumOperands() + i), getElementTypeOrSelf(yielded.getType()),
                              b.mul(chunk, count));
    store.store(ofResult, isInjective(plan, root), pointer, count);
  }
}

void RowwiseBuilder::build() {
  kern::ScheduleAttr s = walk.schedule;
  findThread();
  readBuffers();
  findPositions();
  reductions.allocate(function, team, thread);
  kept = findKeptRows(plan);
  emitter.enterRows(first, nullptr, 1);
  reductions.enterRows(b.index(0));
  emitEarlyReductions();
  emitSteps();
  storeColumnSums();
  CudaLaunch launch;
  launch.grid = {llvm::divideCeil(op.getChunks(), s.getTeams()), s.getStrips()};
  launch.block = s.getThreads() * s.getTeams();
  launch.flops = countFlops(op.getBody().front()) * walk.batch * walk.time;
  function.finish(launch);
}

LogicalResult stretto::buildRowwiseKernel(CudaBuilder &b, gpu::GPUModuleOp kernels, kern::RowwiseOp op) {
  if (!op.getSchedule() || op.getSchedule()->getThreads() == 0)
    return op.emitOpError("needs a schedule with threads to become device code");
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    if (op.isColumnSum(i) && !op.getPartialSums())
      return op.emitOpError("column sums must be split into partial sums to become code");
  if (failed(checkBody(op.getBody().front())))
    return failure();
  RowwiseBuilder(b, kernels, RowWalk(op)).build();
  return success();
}
