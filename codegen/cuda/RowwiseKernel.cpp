//===- RowwiseKernel.cpp - the function of a kern.rowwise -----------------===//
//
//   a group of threads has a chunk of rows of one sequence, a thread some columns of them
//     reductions of the rows in front of the chunk that later rows read
//     the first rows that stay in registers
//     for each step of `rows` rows: stage after stage, a barrier where reductions lie between; or stages that are
//     staggered, and one barrier; steps without masks first
//       loads and arithmetic of all rows; sums of columns in registers; stores at the end
//     the sums of columns
#include "codegen/cuda/RowwiseBuilder.h"
#include "codegen/cuda/ScheduleOverride.h"
#include "codegen/rows/BytesMoved.h"
#include "codegen/rows/Elementwise.h"
#include "codegen/rows/Overwrite.h"
#include "ir/kern/Flops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

constexpr int64_t leastSplitSteps = 3; // in a loop of their own

RowwiseBuilder::RowwiseBuilder(CudaBuilder &b, KernelFunction &function, const RowWalk &walk, const RowPart &part)
    : b(b), function(function), walk(walk), part(part), op(walk.op), plan(walk.plan),
      barrier(b, walk.schedule.getThreads()),
      reductions(b, plan, part.phases, barrier, walk.schedule.getThreads(), walk.schedule.getGroups(),
                 walk.rowsWalked(), [&part](Domain domain) -> const ThreadLayout & { return part.layoutOf(domain); }),
      emitter(b, plan, walk.time, [this](seq::ReduceOp reduce, int64_t row, Value element) {
        return reductions.read(reduce, row, element);
      }) {}

//===- Where a thread stands ----------------------------------------------------===//

void RowwiseBuilder::findThread(Value tile) {
  kern::ThreadScheduleAttr s = walk.schedule;
  int64_t chunks = op.getChunks(), block = s.getThreads() * s.getGroups(),
          blocks = llvm::divideCeil(chunks, s.getGroups());
  Value inBlock = b.threadIndex(block);
  group = b.divide(inBlock, s.getThreads());
  thread = b.remainder(inBlock, s.getThreads());
  tileThread = b.add(b.mul(tile, s.getThreads()), thread);
  chunk = b.add(b.mul(b.blockIndexX(blocks), s.getGroups()), group);
  if (chunks % s.getGroups() != 0) {
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
  emitter.inputs.clear();
  for (BlockArgument argument : op.getBody().getArguments()) {
    unsigned i = argument.getArgNumber();
    if (!op.getOperandOf(i)) {
      Type stored = b.getBF16Type(); // what tensor cores multiply
      Value row = b.address(staged.pointer, stored, b.mul(firstRow, staged.rowElements));
      Value end = b.add(staged.end, b.mul(firstRow, -1));
      emitter.inputs.push_back({row, stored, staged.rowElements, /*mayBeOverwritten=*/false, end});
      continue;
    }
    Type element = getElementTypeOrSelf(argument.getType());
    int64_t count = elementCount(argument);
    Value pointer = function.buffer(op.getOperandOf(i)->getOperandNumber());
    if (op.getMap(i) == kern::RowMap::row)
      pointer = b.address(pointer, element, b.mul(firstRow, count));
    emitter.inputs.push_back(
        {pointer, element, op.getMap(i) == kern::RowMap::shared ? 0 : count, mayBeOverwritten(op, i)});
  }
}

void RowwiseBuilder::findPositions() {
  forEachSection(part.phases, [&](const Section &section) {
    const ThreadLayout &layout = part.layoutOf(section.domain);
    if (part.isWide && layout.slots > 1)
      return; // found in its loop
    int64_t number = part.positionNumber(section.domain);
    for (int64_t slot = 0; slot < layout.slots; ++slot)
      if (!positions.contains(number + slot))
        positions[number + slot] = positionOf(b, layout, tileThread, slot);
  });
}

SmallVector<RowwiseBuilder::Site> RowwiseBuilder::sitesOf(ArrayRef<Nest> nests, Root::Kind kind) {
  SmallVector<Site> sites;
  for (const Nest &nest : nests)
    for (const ColumnLoop &loop : nest.loops)
      for (const Section &section : loop.sections) {
        const ThreadLayout &layout = part.layoutOf(section.domain);
        if (plan.roots()[section.root].kind == kind)
          for (int64_t slot = 0; slot < layout.slots; ++slot)
            sites.push_back({&section, &layout, slot});
      }
  return sites;
}

const Position &RowwiseBuilder::enter(const Site &site) {
  int64_t number = part.positionNumber(site.section->domain) + site.slot;
  const Position &position = positions[number];
  emitter.enterPosition(*site.layout, position, number, nullptr);
  return position;
}

//===- Stages -------------------------------------------------------------------===//

/// One part for each head, or for the whole row, from all slots that belong to it.
void RowwiseBuilder::emitReductions(ArrayRef<Nest> nests, int64_t row) {
  SmallVector<Site> sites = sitesOf(nests, Root::reduce);
  for (int64_t i = 0, count = sites.size(); i < count;) {
    const Section &section = *sites[i].section;
    const ThreadLayout &layout = *sites[i].layout;
    seq::ReduceKind kind = kindOf(section);
    int64_t together = GroupReductions::isWhole(section) ? layout.slots : layout.slotsPerHead;
    Value sum = b.identity(kind, withLanes(elementOf(section), layout.lanes));
    const Position ofHead = enter(sites[i]); // a head of several slots has all threads in the first
    for (int64_t end = i + together; i < end; ++i) {
      const Position &position = enter(sites[i]);
      Value next = emitter.accumulate(kind, sum, rootOf(section).value, row, section.index);
      sum = position.valid ? b.select(position.valid, next, sum) : next;
    }
    reductions.leave(section, sum, row, layout, ofHead);
  }
}

Value RowwiseBuilder::isStored(int64_t row) { return stepsAreSure ? Value() : b.less(emitter.rowNumber(row), last); }

void RowwiseBuilder::addColumnSums(ArrayRef<Nest> nests, int64_t row) {
  for (const Site &site : sitesOf(nests, Root::columnSum)) {
    auto *known =
        llvm::find_if(sumSites, [&](const Site &s) { return s.section == site.section && s.slot == site.slot; });
    Value &sum = sums[known - sumSites.begin()];
    enter(site);
    Value next = emitter.accumulate(seq::ReduceKind::add, sum, rootOf(*site.section).value, row, site.section->index);
    Value counts = isStored(row);
    sum = counts ? b.select(counts, next, sum) : next;
  }
}

void RowwiseBuilder::collectStore(const Section &section, const ThreadLayout &layout, const Position &position,
                                  int64_t row) {
  unsigned number = rootOf(section).number;
  Value yielded = op.getYielded()[number];
  int64_t count = elementCount(yielded);
  Value value = b.splat(emitter.emit(rootOf(section).value, row, section.index), layout.lanes);
  RowBuffer buffer{function.buffer(op->getNumOperands() + number), getElementTypeOrSelf(yielded.getType()), count};
  Value target = emitter.elementOf(section.target), rowNumber = emitter.rowNumber(row);
  emitter.goToPosition();
  Value flat = b.add(b.mul(b.add(b.mul(sequence, walk.time), rowNumber), count), target);
  Value condition = b.both(b.both(live, position.valid), isStored(row));
  stores.push_back(
      {condition, value, b.address(buffer.pointer, buffer.element, flat), emitter.alignmentOf(buffer, section.target)});
}

void RowwiseBuilder::flushStores() {
  for (const PendingStore &store : stores)
    b.when(store.condition, [&] { b.storeAligned(store.value, store.address, store.alignment); });
  stores.clear();
}

void RowwiseBuilder::emitPhase(const RowPhase &phase) {
  SmallVector<int64_t> rows;
  for (int64_t i = 0; i < walk.schedule.getRows(); ++i)
    rows.push_back(phase.rows.high + i);
  if (part.isWide)
    emitWide(phase.all, rows);
  else
    for (int64_t row : rows) {
      emitReductions(phase.all, row);
      addColumnSums(phase.all, row);
      for (const Site &site : sitesOf(phase.all, Root::store))
        collectStore(*site.section, *site.layout, enter(site), row);
    }
}

/// Stage after stage. Where they are staggered, each reads what others left a step before: the later ones come first,
/// while what the first one loads is on its way, and threads meet once.
void RowwiseBuilder::emitPhases() {
  auto phases = llvm::map_to_vector(part.phases, [](const RowPhase &phase) { return &phase; });
  auto leaves = [&](const RowPhase *phase) { return !sitesOf(phase->all, Root::reduce).empty(); };
  if (plan.isStaggered()) {
    auto *stores = std::stable_partition(phases.begin(), phases.end(), leaves);
    std::reverse(phases.begin(), stores);
  }
  for (auto [i, phase] : llvm::enumerate(phases)) {
    emitPhase(*phase);
    bool isReadNext = !plan.isStaggered() || llvm::none_of(ArrayRef(phases).drop_front(i + 1), leaves);
    if (leaves(phase) && isReadNext)
      barrier.meet();
  }
}

//===- The chunk ----------------------------------------------------------------===//

void RowwiseBuilder::emitEarlyReductions() {
  for (const RowPhase &phase : part.phases) {
    if (phase.early.empty())
      continue;
    auto rows = llvm::to_vector(llvm::seq<int64_t>(phase.rows.low, phase.rows.high));
    if (part.isWide)
      emitWide(phase.early, rows);
    else
      for (int64_t row : rows)
        emitReductions(phase.early, row);
    barrier.meet();
  }
}

/// Visits rolling values at each position of theirs.
void RowwiseBuilder::forRolling(llvm::function_ref<void(const RollingValue &)> visit) {
  for (const RollingValue &value : rolling) {
    const ThreadLayout &layout = part.layoutOf(value.domain);
    Section section{0, value.domain, value.index, {}};
    for (int64_t slot = 0; slot < layout.slots; ++slot) {
      enter({&section, &layout, slot});
      visit(value);
    }
  }
}

/// The rows of rolling values in front of the last one, `shift` rows further on.
SmallVector<Value> RowwiseBuilder::rollingRows(int64_t shift) {
  SmallVector<Value> rows;
  forRolling([&](const RollingValue &value) {
    for (int64_t row = value.rows.low; row < value.rows.high; ++row)
      rows.push_back(emitter.emit(value.value, row + shift, value.index));
  });
  emitter.goToPosition();
  return rows;
}

void RowwiseBuilder::rememberRolling(ValueRange values) {
  auto next = values.begin();
  forRolling([&](const RollingValue &value) {
    for (int64_t row = value.rows.low; row < value.rows.high; ++row)
      emitter.remember(value.value, row, value.index, *next++);
  });
}

/// The operand of the kernel that a value is, or is alone computed from, element for element; or null.
static Value operandOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && op->hasTrait<OpTrait::Elementwise>() && op->getNumOperands() == 1)
    value = op->getOperand(0);
  return isa<BlockArgument>(value) ? value : Value();
}

/// Whether each chunk begins with steps all of whose rows are there, and others need masks: two loops then, as a mask
/// is a selection for each number. One loop where threads of a block meet, which may have chunks of different lengths.
bool RowwiseBuilder::splitsSteps() const {
  bool hasMasks = walk.isRagged || walk.schedule.getRows() + plan.halo().high > walk.firstUnsure;
  return hasMasks && !part.isWide && !part.reduces && walk.leastSureSteps() >= leastSplitSteps;
}

/// How many of the chunk's first steps need no row behind its end or behind that of the sequence.
Value RowwiseBuilder::sureSteps() {
  Value end = b.minimum(last, b.index(walk.time - plan.halo().high));
  Value rows = b.add(end, b.mul(first, -1));
  if (walk.isOfSpans)
    rows = b.maximum(rows, b.index(0));
  return b.divide(rows, walk.schedule.getRows());
}

Value RowwiseBuilder::allSteps() {
  if (!walk.isOfSpans)
    return b.index(walk.steps);
  int64_t rows = walk.schedule.getRows();
  return b.divide(b.add(b.add(last, b.mul(first, -1)), b.index(rows - 1)), rows);
}

/// Steps from `begin` to `end`; `isSure`: all of their rows are there. Returns what is carried in the end.
Values RowwiseBuilder::emitLoop(Value begin, Value end, ValueRange carried, size_t rollingCount, bool isSure) {
  int64_t rows = walk.schedule.getRows();
  stepsAreSure = isSure || !walk.isRagged;
  emitter.enterChunk(live, last, stepsAreSure ? rows : 0);
  Values results = forEach(b, begin, end, 1, carried, [&](Value step, ValueRange now) {
    Value walked = b.mul(step, rows);
    reductions.enterRows(walked);
    Operation *loop = outermost ? outermost : b.getInsertionBlock()->getParentOp();
    emitter.enterRows(b.add(first, walked), loop, isSure ? INT64_MAX : walk.firstUnsure);
    rememberRolling(now.take_front(rollingCount));
    sums = SmallVector<Value>(now.drop_front(rollingCount));
    loadEarly();
    emitPhases();
    Values next(rollingRows(rows));
    flushStores();
    llvm::append_range(next, sums);
    return next;
  });
  if (!isSure && splitsSteps())
    return results; // few steps, in the last chunk of a sequence alone
  auto loop = cast<scf::ForOp>(*std::prev(b.getInsertionPoint()));
  // Groups leave a loop of sure steps at different times.
  room.mayMeet = !isSure || walk.schedule.getGroups() == 1 || barrier.isOfGroupAlone();
  if (walk.copies())
    wantedRoom =
        std::max(wantedRoom, copyAhead(b, loop, room, barrier, walk.schedule.getPlaces(), overwrittenBuffers()));
  else if (!part.reduces)
    loop = prefetchLoads(b, loop, walk.steps);
  loadBeforeBarriers(loop);
  return Values(loop.getResults().take_front(carried.size()));
}

/// Operands of which steps behind the end of a chunk load the last row again, when a result may lie over it.
SmallVector<Value> RowwiseBuilder::overwrittenBuffers() {
  SmallVector<Value> buffers;
  for (BlockArgument argument : op.getBody().getArguments())
    if (OpOperand *operand = op.getOperandOf(argument.getArgNumber());
        operand && walk.isRagged && mayBeOverwritten(op, argument.getArgNumber()))
      buffers.push_back(function.buffer(operand->getOperandNumber()));
  return buffers;
}

/// What is waited for in front of a barrier and behind it: numbers of rows and, where stages are staggered, the next
/// row.
void RowwiseBuilder::loadEarly() {
  if (!part.reduces)
    return;
  for (BlockArgument argument : op.getBody().getArguments())
    if (op.getMap(argument.getArgNumber()) == kern::RowMap::row && elementCount(argument) == 1 &&
        !mayBeOverwritten(op, argument.getArgNumber()))
      for (int64_t row = 0; row < walk.schedule.getRows(); ++row)
        emitter.emit(argument, row, {});
  if (plan.isStaggered())
    forRolling([&](const RollingValue &value) {
      if (Value operand = operandOf(value.value))
        emitter.emit(operand, value.rows.high, value.index);
    });
}

Values RowwiseBuilder::emptySums() {
  return llvm::map_to_vector(
      sumSites, [&](const Site &site) { return b.real(withLanes(elementOf(*site.section), site.layout->lanes), 0); });
}

Values RowwiseBuilder::emitSteps(ValueRange before) {
  SmallVector<Value> carried = rollingRows(0);
  size_t rollingCount = carried.size();
  llvm::append_range(carried, before);
  Value begin = b.index(0), end = allSteps();
  if (splitsSteps()) {
    Value middle = sureSteps();
    carried = emitLoop(begin, middle, carried, rollingCount, /*isSure=*/true);
    carried = emitLoop(middle, end, carried, rollingCount, /*isSure=*/false);
  } else {
    carried = emitLoop(begin, end, carried, rollingCount, /*isSure=*/false);
  }
  return Values(llvm::drop_begin(carried, rollingCount));
}

Value RowwiseBuilder::sumsOfChunk(Value number, unsigned result) {
  Value yielded = op.getYielded()[result];
  return b.address(function.buffer(op->getNumOperands() + result), getElementTypeOrSelf(yielded.getType()),
                   b.mul(number, elementCount(yielded)));
}

void RowwiseBuilder::storeColumnSums(Value number, ValueRange all) {
  auto take = [this](int64_t bytes) { return takeShared(bytes); };
  ColumnSumStore store(b, take, barrier, part.threads, walk.schedule.getGroups(), tileThread, group, live, strip);
  for (auto [i, yielded] : llvm::enumerate(op.getYielded())) {
    SmallVector<ColumnSum> ofResult;
    unsigned root = 0;
    for (auto [site, sum] : llvm::zip_equal(sumSites, all))
      if (rootOf(*site.section).number == i) {
        root = site.section->root;
        ofResult.push_back({site.section, site.layout, enter(site), sum});
      }
    if (ofResult.empty())
      continue;
    store.store(ofResult, isInjective(plan, root), sumsOfChunk(number, i), elementCount(yielded));
  }
}

/// Shared memory for sums.
Value RowwiseBuilder::takeShared(int64_t bytes) {
  if (!sharedSums)
    return function.scratch(bytes);
  int64_t start = sharedTaken;
  sharedTaken += llvm::alignTo(bytes, sharedAlignment);
  return b.address(sharedSums, b.getI8Type(), start);
}

/// What all rows have in common.
void RowwiseBuilder::prepare() {
  findPositions();
  reductions.allocate([this](int64_t bytes) { return takeShared(bytes); }, group, thread);
  if (part.isWide)
    return;
  rolling = findRollingRows(plan, part.phases).values;
  for (const RowPhase &phase : part.phases)
    llvm::append_range(sumSites, sitesOf(phase.all, Root::columnSum));
}

/// The rows from `first` to `last`; returns the sums of columns with them.
Values RowwiseBuilder::walkRows(ValueRange before) {
  emitter.enterChunk(live, last, walk.isRagged ? 0 : walk.schedule.getRows());
  emitter.enterRows(first, outermost, 1);
  reductions.enterRows(b.index(0));
  emitEarlyReductions();
  if (part.isWide)
    clearWideSums();
  return emitSteps(before);
}

int64_t RowwiseBuilder::build(Value tile, Value shared, int64_t dynamicSums) {
  findThread(tile);
  if (dynamicSums)
    sharedSums = shared;
  room = {b.address(shared, b.getI8Type(), dynamicSums),
          group,
          thread,
          walk.schedule.getGroups(),
          walk.schedule.getThreads(),
          std::min(mostAheadBytes, mostShared - dynamicSums),
          [this, dynamicSums](int64_t bytes) { function.growDynamicShared(dynamicSums + bytes); }};
  readBuffers();
  prepare();
  storeColumnSums(chunk, walkRows(emptySums()));
  return wantedRoom;
}

void RowwiseBuilder::enterStrip(Value newGroup, Value newThread, Value newStrip, Value newSharedSums,
                                SharedRoom newRoom) {
  group = newGroup;
  thread = tileThread = newThread;
  strip = newStrip;
  sharedSums = newSharedSums;
  room = std::move(newRoom);
  barrier.enter(b.add(group, b.index(firstGroupBarrier)));
  emitter.enterStrip(strip);
  if (reductions.isFilled())
    barrier.meet(); // sums of the strip before have been read
  prepare();
}

Values RowwiseBuilder::walkSpan(RowSpan span, const StagedRows &rows, ValueRange before, Operation *loop) {
  std::tie(sequence, first, last) = std::tie(span.sequence, span.first, span.last);
  staged = rows;
  outermost = loop;
  readBuffers();
  if (!plan.reductions().empty())
    barrier.meet(); // sums of the span before have been read
  return walkRows(before);
}

//===- The kernel ---------------------------------------------------------------===//

/// Each part has tiles of its own, one behind the other in y. Returns the bytes that are asked for what is ahead.
static int64_t emitParts(CudaBuilder &b, KernelFunction &function, const RowWalk &walk) {
  int64_t sums = walk.dynamicSumBytes(b);
  Value tile = b.blockIndexY(walk.tiles()), shared = walk.copies() || sums ? function.dynamicShared(sums) : Value();
  int64_t wanted = 0;
  int64_t before = 0;
  for (const RowPart &part : walk.parts) {
    Value here = b.add(tile, b.index(-before));
    Value isHere;
    if (walk.parts.size() > 1)
      isHere = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, here, b.index(part.tiles));
    function.reuseScratch();
    b.when(isHere,
           [&] { wanted = std::max(wanted, RowwiseBuilder(b, function, walk, part).build(here, shared, sums)); });
    before += part.tiles;
  }
  return wanted;
}

int64_t stretto::codegen::bytesOfPlaces(kern::RowwiseOp op) {
  CudaBuilder b(op.getLoc(), op.getContext());
  OwningOpRef<gpu::GPUModuleOp> nowhere = gpu::GPUModuleOp::create(b, "nowhere");
  RowPlan plan = planScheduled(op);
  KernelFunction function(b, *nowhere, op);
  return emitParts(b, function, RowWalk(plan));
}

LogicalResult stretto::codegen::buildRowwiseKernel(CudaBuilder &b, gpu::GPUModuleOp kernels, kern::RowwiseOp op) {
  if (!isa_and_nonnull<kern::ThreadScheduleAttr>(op.getScheduleAttr()))
    return op.emitOpError("needs a schedule with threads to become device code");
  if (failed(checkKernel(op)))
    return failure();
  RowPlan plan = planScheduled(op);
  RowWalk walk(plan);
  kern::ThreadScheduleAttr s = walk.schedule;
  if (failed(obeys(op, rulesOf(s))))
    return failure();
  if (walk.tiles() != s.getTiles())
    return op.emitOpError("needs ") << walk.tiles() << " tiles with these threads and lanes, but got " << s.getTiles();
  if (int64_t sums = walk.sumBytes(b); sums > mostShared)
    return op.emitOpError("has sums that take ")
           << sums << " bytes of shared memory, but a block has at most " << mostShared;
  KernelFunction function(b, kernels, op);
  // Parts with sums along rows have several rows on their way, and no registers for loads that come earlier.
  bool mayLoadEarlier = llvm::any_of(walk.parts, [](const RowPart &part) { return !part.reduces; });
  for (unsigned i = 0; i < op.getNumOperands(); ++i)
    if (mayLoadEarlier && !mayBeOverwritten(op, i))
      function.onlyRead(i);
  int64_t mostAhead = std::min(mostAheadBytes, mostShared - walk.dynamicSumBytes(b));
  if (int64_t wanted = emitParts(b, function, walk); wanted > mostAhead)
    return op.emitOpError("has ") << s.getPlaces() << " places for steps of rows that take " << wanted
                                  << " bytes of shared memory, but there are at most " << mostAhead
                                  << "; fewer places, rows of a step or groups of a block take less";
  CudaLaunch launch;
  launch.grid = {static_cast<int64_t>(llvm::divideCeil(op.getChunks(), s.getGroups())), s.getTiles()};
  launch.block = s.getThreads() * s.getGroups();
  launch.resident = static_cast<int32_t>(residentRowBlocks(launch.block));
  launch.flops = static_cast<int64_t>(kern::flopsOf(op.getBody().front())) * walk.batch * walk.time;
  launch.bytes = bytesMoved(op);
  function.finish(launch);
  return success();
}
