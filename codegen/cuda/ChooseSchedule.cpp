//===- ChooseSchedule.cpp - how kernels are shared out over threads -------===//
#include "codegen/cuda/ChunkTime.h"
#include "codegen/cuda/Passes.h"
#include "codegen/cuda/Prefetch.h"
#include "codegen/cuda/RegisterEstimate.h"
#include "codegen/cuda/RowWalk.h"
#include "codegen/cuda/ScheduleOverride.h"
#include "codegen/cuda/matmul/MatmulKernel.h"
#include "ir/seq/Purpose.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_CHOOSECUDASCHEDULE
#include "codegen/cuda/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
constexpr int64_t mostRegisters = 128;    // of a thread: half the threads a multiprocessor can have
constexpr int64_t otherRegisters = 28;    // addresses, counters, conditions
constexpr int64_t mostGroupThreads = 512; // threads that meet at a barrier
constexpr int64_t blockThreads = 128;     // that narrow groups share
constexpr int64_t wantedThreads = 1024;   // of each multiprocessor, to have enough loads in flight
constexpr int64_t processorRegisters = 65536, processorThreads = 2048;
// Of the registers that threads may have, if there are as many blocks as asked for: an estimate that ptxas can keep to,
// and one that it surely can.
constexpr double keptShare = 1.125, sureShare = 0.85;
constexpr int64_t mostRowRegisters = 176;   // of a thread that computes several rows of a step
constexpr int64_t bytesInFlight = 36 << 10; // of a multiprocessor: bandwidth times latency, 4.8 TB/s * 1 us / 132
constexpr int64_t tileWaves = 2;            // of blocks that do not sum along rows: the last wave is seldom full
constexpr int64_t idleShare = 16;           // one of so many threads may be idle so that more lie side by side
constexpr int64_t tileGroups[] = {256, 192, 128, 96, 64, 32, 16, 8, 4, 2, 1};
constexpr int64_t haloShare = 16;      // a chunk is so many times longer than what it reads of its neighbours
constexpr double leastSumShare = 0.01; // of the bytes of a row: smaller sums of a chunk do not count
constexpr double worthOther = 0.95;    // of the time, for which a chunk has more or fewer rows than fill the device
constexpr int64_t mostFlatRows = 16;   // of a block of the optimizer: ranks own whole ones, so many would be left over
constexpr int64_t sumShare = 16;       // its data are so many times larger than its column sums

int64_t bytesOf(Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8; }

/// What a schedule follows from.
struct Shape {
  int64_t batch, time;
  int64_t narrowest = 8; // bytes of the narrowest real that is loaded or stored
  int64_t streamed = 0;  // of the widest whose rows come from memory or go there; tables come from caches
  int64_t widest = 4;    // bytes of the widest number in a register
  int64_t rowBytes = 0, sumBytes = 0;
  int64_t halo = 0;
  int64_t mostRows = INT64_MAX;           // of the chunks of a thread block
  bool mayTile = false;                   // whether several thread blocks may share the columns of a row
  bool reduces = false;                   // whether sums are taken along rows
  std::vector<std::vector<Domain>> parts; // loops of each part that can have thread blocks of its own
  HeldValues held;                        // by the part that holds most
};

struct ChooseCudaSchedulePass : stretto::codegen::impl::ChooseCudaScheduleBase<ChooseCudaSchedulePass> {
  using ChooseCudaScheduleBase::ChooseCudaScheduleBase;

  void runOnOperation() final {
    auto schedules =
        ScheduleOverrides::read(overrides, SmallVector<StringRef>(ArrayRef(cudaOverrideFields)), getOperation());
    if (failed(schedules))
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](kern::RowKernel op) {
      return op.getSchedule() || succeeded(choose(op, schedules->of(op))) ? WalkResult::advance()
                                                                          : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult choose(kern::RowKernel op, const ScheduleOverride &numbers) {
    auto matmul = dyn_cast<kern::MatmulOp>(op.getOperation());
    if (failed(checkFields(numbers, /*isMatmul=*/matmul != nullptr)))
      return failure();
    return matmul ? chooseMatmulSchedule(matmul, numbers, processors)
                  : choose(cast<kern::RowwiseOp>(op.getOperation()), numbers);
  }

  Shape measure(const RowPlan &plan) {
    kern::RowKernel op = plan.kernel();
    Shape shape;
    std::tie(shape.batch, shape.time) = op.getRows();
    auto count = [&](Value row, kern::RowMap map) {
      int64_t bytes = bytesOf(row.getType());
      shape.rowBytes += elementCount(row) * bytes;
      if (!isa<FloatType>(getElementTypeOrSelf(row.getType())) || elementCount(row) == 1)
        return;
      shape.narrowest = std::min(shape.narrowest, bytes);
      if (map == kern::RowMap::row)
        shape.streamed = std::max(shape.streamed, bytes);
    };
    for (BlockArgument argument : op.getBody().getArguments())
      if (kern::RowMap map = op.getMap(argument.getArgNumber()); map != kern::RowMap::shared)
        count(argument, map);
    for (auto [i, value] : llvm::enumerate(op.getYielded())) {
      if (op.isColumnSum(i))
        shape.sumBytes += elementCount(value) * bytesOf(value.getType());
      else
        count(value, kern::RowMap::row);
    }
    shape.mayTile = mayTile(plan);
    shape.reduces = !plan.reductions().empty();
    std::vector<SmallVector<RowPhase, 0>> parts{SmallVector<RowPhase, 0>(plan.phases())};
    if (shape.mayTile)
      parts = splitPieces(plan);
    for (ArrayRef<RowPhase> phases : parts) {
      std::vector<Domain> &domains = shape.parts.emplace_back();
      forEachPiece(phases, [&](const Piece &piece) {
        shape.widest = std::max(shape.widest, bytesOf(plan.roots()[piece.root].value.getType()));
        domains.push_back(piece.domain);
      });
      HeldValues held = estimateHeld(plan, phases);
      if (held.perColumn() > shape.held.perColumn())
        shape.held = held;
    }
    shape.narrowest = std::min(shape.narrowest, shape.widest);
    shape.halo = plan.halo().high - plan.halo().low;
    return shape;
  }

  /// `columns`: that a thread holds of each value.
  int64_t registersFor(const Shape &shape, int64_t columns) {
    return otherRegisters + columns * shape.held.perColumn() * shape.widest / 4;
  }

  /// The largest vectors with which a thread has registers enough. Those of the widest stream have 16 bytes: were they
  /// longer, an access of a warp would have gaps, and a store would fill only half of each sector of 32 bytes.
  int64_t lanesFor(const Shape &shape) {
    int64_t chosen = 16 / std::max(shape.streamed, shape.narrowest);
    while (chosen > 1 && registersFor(shape, chosen) > mostRegisters)
      chosen /= 2;
    return chosen;
  }

  /// Threads that the widest loop of a part keeps busy.
  static int64_t vectorsOf(const Shape &shape, ArrayRef<Domain> domains, int64_t vectorLanes) {
    int64_t most = 1;
    for (Domain domain : domains) {
      ThreadLayout layout = layOutThreads(domain, int64_t(1) << 40, vectorLanes, shape.reduces);
      most = std::max(most, domain.heads * layout.pad);
    }
    return most;
  }

  /// One group for the whole row where it must meet; else the largest of which not many more threads of all parts are
  /// idle than of the one that leaves the fewest.
  static int64_t groupFor(const Shape &shape, int64_t vectorLanes) {
    if (!shape.mayTile) {
      int64_t vectors = vectorsOf(shape, shape.parts[0], vectorLanes);
      return wholeGroup(llvm::divideCeil(vectors, llvm::divideCeil(vectors, mostGroupThreads)));
    }
    auto threadsOf = [&](int64_t group) {
      int64_t total = 0;
      for (const std::vector<Domain> &domains : shape.parts)
        total += llvm::alignTo(vectorsOf(shape, domains, vectorLanes), group);
      return total;
    };
    int64_t most = threadsOf(1) + threadsOf(1) / idleShare;
    return *llvm::find_if(tileGroups, [&](int64_t group) { return threadsOf(group) <= most; });
  }

  /// Columns that a thread holds of each value: its part of the row, or one vector where it visits them in a loop.
  static int64_t columnsOf(const Shape &shape, int64_t vectorLanes, int64_t group) {
    if (shape.mayTile)
      return vectorLanes;
    int64_t most = 1;
    for (Domain domain : shape.parts[0]) {
      ThreadLayout layout = layOutThreads(domain, group, vectorLanes, shape.reduces);
      most = std::max(most, layout.slots * layout.lanes);
    }
    return most * shape.widest / 4 > mostColumnRegisters ? vectorLanes : most;
  }

  /// Those with `count` rows of a step. What a further row takes was measured on norms, Canon and their backwards: half
  /// as much again as what it loads.
  int64_t registersFor(const Shape &shape, int64_t columns, int64_t count) {
    return registersFor(shape, columns) + (count - 1) * columns * shape.held.loadedBytes * 3 / 8;
  }

  /// As few rows as bring enough bytes on their way from memory while a multiprocessor waits, if registers allow; more
  /// where values stay in registers for more rows than a step has, and would be moved there, as far as two blocks of
  /// 256 threads have registers. One in f64, whose functions take dozens of registers for each row.
  int64_t rowsFor(const Shape &shape, int64_t columns, int64_t group) {
    int64_t block = std::max(group, blockThreads), best = 1, most = 0;
    for (int64_t count : {1, 2, 4}) {
      int64_t registers = registersFor(shape, columns, count);
      bool areEnough = most >= bytesInFlight;
      int64_t limit = areEnough ? mostRegisters : std::min(mostRowRegisters, processorRegisters / block);
      if (count > 1 && (shape.widest > 4 || registers > limit || (areEnough && best > shape.held.longest)))
        break;
      int64_t resident = std::min(processorThreads, processorRegisters / registers) / block * block;
      int64_t bytes = resident * count * columns * shape.held.loadedBytes;
      if (areEnough || bytes > most)
        best = count;
      most = std::max(most, bytes);
    }
    return best;
  }

  /// A kernel of rows on multiprocessors that have as many blocks as it asks for, if ptxas can keep to their registers;
  /// fewer where it cannot, more where they take less.
  ChunkedRows chunkedRows(const Shape &shape, int64_t group, int64_t tiles, int64_t columns, int64_t registers,
                          int64_t stepRows) {
    int64_t block = group * std::max<int64_t>(1, blockThreads / group), asked = residentRowBlocks(block);
    // What is on its way early takes registers, too.
    int64_t taken = registers + (shape.reduces ? 0 : mostRegistersAhead);
    double allowed = static_cast<double>(processorRegisters) / static_cast<double>(asked * block);
    int64_t fitting = std::min(processorThreads, processorRegisters / taken) / block;
    int64_t blocks = std::max(registers <= keptShare * allowed ? asked : 1, fitting);
    int64_t haloBytes = shape.held.rolling * columns * group * tiles * shape.streamed;
    return {shape.batch,   shape.time,     shape.rowBytes,
            haloBytes,     shape.sumBytes, stepRows,
            group * tiles, blocks * block, taken <= sureShare * allowed,
            block,         processors,     shape.reduces};
  }

  /// Rows of a chunk: as many as fill the device, unless fewer or more take clearly less time; more only where bytes
  /// surely hide the steps of longer chunks. `tiles` groups share a chunk; each of their threads has `columns` of a
  /// value, and `registers`.
  int64_t chunkFor(const Shape &shape, int64_t group, int64_t tiles, int64_t columns, int64_t registers,
                   int64_t stepRows) {
    int64_t byCount = chunkByCount(shape, group * tiles, registers, stepRows), best = byCount;
    if (shape.halo == 0 && shape.sumBytes < leastSumShare * shape.rowBytes)
      return byCount;
    ChunkedRows kernel = chunkedRows(shape, group, tiles, columns, registers, stepRows);
    double least = timeOfChunks(kernel, byCount);
    for (int64_t rows = stepRows; rows <= std::min(shape.time, shape.mostRows); rows *= 2) {
      double time = timeOfChunks(kernel, rows);
      if (time >= worthOther * least || (rows > byCount && !surelyHidesSteps(kernel, rows)))
        continue;
      best = rows;
      least = time;
    }
    return best;
  }

  /// A power of two. Chunks are long beside what they read of their neighbours and beside their column sums, and fewer
  /// rows where the device would stay empty, down to where borders cost a fifth. `rowThreads`: of all groups that share
  /// a chunk; `registers` of each.
  int64_t chunkByCount(const Shape &shape, int64_t rowThreads, int64_t registers, int64_t stepRows) {
    int64_t bySums = sumShare * shape.sumBytes / std::max<int64_t>(1, shape.rowBytes);
    int64_t want = std::max({haloShare * shape.halo, bySums, 4 * stepRows});
    int64_t fit = std::min(wantedThreads, processorRegisters / registers);
    int64_t wanted = llvm::divideCeil((shape.mayTile ? tileWaves : 1) * processors * fit, rowThreads);
    int64_t byCount = std::max<int64_t>(1, shape.batch * shape.time / wanted);
    auto toNearest = [](int64_t rows) { return rows * 4 / 3; }; // a power of two, when the largest below is taken
    int64_t limit = std::max(stepRows, std::min({toNearest(std::max(want, byCount)), int64_t(256), shape.time}));
    limit =
        std::min({limit, std::max({toNearest(byCount), 5 * shape.halo, stepRows}), std::max(stepRows, shape.mostRows)});
    int64_t chosen = stepRows;
    while (chosen * 2 <= limit)
      chosen *= 2;
    return chosen;
  }

  /// Narrow groups share a block, but no more than there are chunks, as far as whole warps allow.
  static int64_t groupsFor(const Shape &shape, int64_t group, int64_t chunkRows) {
    int64_t chunks = shape.batch * llvm::divideCeil(shape.time, chunkRows);
    int64_t groups = std::max<int64_t>(1, blockThreads / group);
    while ((groups / 2 >= chunks || groups * chunkRows > shape.mostRows) && groups * group > warpThreads)
      groups /= 2;
    return groups;
  }

  kern::ThreadScheduleAttr make(kern::RowwiseOp op, const Shape &shape, const ScheduleOverride &numbers) {
    int64_t vectorLanes = numbers.get("lanes", std::max(lanes ? lanes.getValue() : lanesFor(shape), leastLanes(op)));
    int64_t group = numbers.get("threads", threads ? threads.getValue() : groupFor(shape, vectorLanes));
    int64_t columns = columnsOf(shape, vectorLanes, group);
    int64_t stepRows = numbers.get("rows", rows ? rows.getValue() : rowsFor(shape, columns, group));
    int64_t tiles = 0;
    for (const std::vector<Domain> &domains : shape.parts)
      tiles += shape.mayTile ? llvm::divideCeil(vectorsOf(shape, domains, vectorLanes), group) : 1;
    int64_t registers = registersFor(shape, columns, stepRows);
    int64_t chunkRows =
        numbers.get("chunk", chunk ? chunk.getValue() : chunkFor(shape, group, tiles, columns, registers, stepRows));
    if (!numbers.has("rows"))
      stepRows = std::min(stepRows, chunkRows);
    return kern::ThreadScheduleAttr::get(op.getContext(), stepRows, vectorLanes, chunkRows, group,
                                         numbers.get("groups", groupsFor(shape, group, chunkRows)), tiles);
  }

  /// Shared memory of a block under a schedule.
  static int64_t sharedBytes(kern::RowKernel op, CudaBuilder &b) {
    RowPlan plan = planScheduled(op);
    RowWalk walk(plan);
    auto layoutOf = [&](Domain domain) -> const ThreadLayout & { return walk.parts[0].layoutOf(domain); };
    GroupBarrier barrier(b, walk.schedule.getThreads());
    GroupReductions reductions(b, plan, barrier, walk.schedule.getThreads(), walk.schedule.getGroups(),
                               walk.rowsWalked(), layoutOf);
    int64_t bytes = reductions.sharedBytes();
    for (auto [i, value] : llvm::enumerate(walk.op.getYielded())) {
      if (!walk.op.isColumnSum(i))
        continue;
      SmallVector<const Piece *> pieces;
      forEachPiece(plan.phases(), [&](const Piece &piece) {
        const Root &root = plan.roots()[piece.root];
        if (root.kind == Root::columnSum && root.number == i && !isInjective(plan, piece.root))
          pieces.push_back(&piece);
      });
      if (!pieces.empty())
        bytes += ColumnSumStore::sharedBytes(pieces, elementCount(value), bytesOf(value.getType()),
                                             walk.schedule.getGroups());
    }
    return bytes;
  }

  /// Fewer groups of a block, then shorter chunks, until shared memory suffices; what is given stays. Returns the bytes
  /// that a block takes.
  static int64_t fitSharedMemory(const RowPlan &plan, CudaBuilder &b, const ScheduleOverride &numbers) {
    kern::RowKernel op = plan.kernel();
    auto s = cast<kern::ThreadScheduleAttr>(*op.getSchedule());
    int64_t leastChunk = numbers.has("chunk") ? s.getChunk() : numbers.get("rows", 1), bytes;
    if (plan.reductions().empty() && mayTile(plan))
      return 0;
    while ((bytes = sharedBytes(op, b)) > mostSharedBytes) {
      bool fewerGroups = !numbers.has("groups") && s.getGroups() > 1 && s.getGroups() * s.getThreads() > warpThreads;
      if (!fewerGroups && s.getChunk() / 2 < leastChunk)
        break;
      int64_t chunkRows = fewerGroups ? s.getChunk() : s.getChunk() / 2;
      s = kern::ThreadScheduleAttr::get(op.getContext(), std::min(s.getRows(), chunkRows), s.getLanes(), chunkRows,
                                        s.getThreads(), fewerGroups ? s.getGroups() / 2 : s.getGroups(), s.getTiles());
      op.setScheduleAttr(s);
    }
    return bytes;
  }

  LogicalResult choose(kern::RowwiseOp op, const ScheduleOverride &numbers) {
    RowPlan plan(op);
    Shape shape = measure(plan);
    if (auto entry = op->getParentOfType<func::FuncOp>(); entry && isEntry(entry, seq::EntryKind::optimizer))
      shape.mostRows = mostFlatRows;
    if (failed(checkOverride(numbers, leastLanes(op), 16 / shape.narrowest)))
      return failure();
    CudaBuilder b(op.getLoc(), op.getContext());
    op.setScheduleAttr(make(op, shape, numbers));
    int64_t shared = fitSharedMemory(plan, b, numbers);
    auto s = cast<kern::ThreadScheduleAttr>(*op.getSchedule());
    if (failed(checkTogether(numbers, s, shared)))
      return failure();
    remark::passed(op.getLoc(), remark::RemarkOpts::name("Schedule").category("schedule"))
        << "shares rows out over threads" << remark::metric("rows", s.getRows())
        << remark::metric("lanes", s.getLanes()) << remark::metric("chunk", s.getChunk())
        << remark::metric("threads", s.getThreads()) << remark::metric("groups", s.getGroups())
        << remark::metric("tiles", s.getTiles()) << remark::metric("chunks", op.getChunks())
        << remark::metric("estimated_registers", registersFor(shape, s.getLanes()))
        << remark::metric("shared_bytes", shared);
    numbers.remark({{"rows", s.getRows()},
                    {"lanes", s.getLanes()},
                    {"chunk", s.getChunk()},
                    {"threads", s.getThreads()},
                    {"groups", s.getGroups()},
                    {"tiles", s.getTiles()}});
    return success();
  }
};
} // namespace
