//===- ChooseSchedule.cpp - how kernels are shared out over threads -------===//
#include "codegen/cuda/ChunkTime.h"
#include "codegen/cuda/LaunchRegisters.h"
#include "codegen/cuda/Passes.h"
#include "codegen/cuda/Prefetch.h"
#include "codegen/cuda/RowShape.h"
#include "codegen/cuda/RowWalk.h"
#include "codegen/cuda/ScheduleOverride.h"
#include "codegen/cuda/matmul/MatmulKernel.h"
#include "codegen/cuda/matmul/MatmulTime.h"
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
constexpr int64_t mostGroupThreads = 512; // threads that meet at a barrier
constexpr int64_t blockThreads = 128;     // that narrow groups share
constexpr int64_t wantedThreads = 1024;   // of each multiprocessor, to have enough loads in flight
constexpr int64_t processorRegisters = 65536, processorThreads = 2048;
// Of the registers that threads may have, if there are as many blocks as asked for: an estimate that ptxas can keep to,
// and one that it surely can.
constexpr double keptShare = 1.125, sureShare = 0.85;
constexpr int64_t mostRowRegisters = 176;    // of a thread that computes several rows of a step
constexpr int64_t spareRegisters = 12;       // of those: an estimate may be too low
constexpr int64_t bytesInFlight = 36 << 10;  // of a multiprocessor: bandwidth times latency, 4.8 TB/s * 1 us / 132
constexpr double spareRate = 1.3;            // of the bandwidth, as loads do not come evenly
constexpr int64_t usualRows = 4;             // of a step; more only where chunks stay long
constexpr int64_t copiedRows = 2;            // of a step, where rows come through shared memory
constexpr int64_t mostCopiedRegisters = 240; // of a thread then: few warps suffice
constexpr int64_t leastTurns = 4;            // that a chunk goes around the places for rows
constexpr int64_t tileWaves = 2;             // of blocks that do not sum along rows: the last wave is seldom full
constexpr int64_t idleShare = 16;            // one of so many threads may be idle so that more lie side by side
constexpr int64_t tileGroups[] = {256, 192, 128, 96, 64, 32, 16, 8, 4, 2, 1};
constexpr int64_t haloShare = 16;      // a chunk is so many times longer than what it reads of its neighbours
constexpr double leastSumShare = 0.01; // of the bytes of a row: smaller sums of a chunk do not count
constexpr double worthOther = 0.95;    // of the time, for which a chunk has more or fewer rows than fill the device
constexpr int64_t mostFlatRows = 16;   // of a block of the optimizer: ranks own whole ones, so many would be left over
constexpr int64_t sumShare = 16;       // its data are so many times larger than its column sums

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

  /// Vectors of the widest stream have 16 bytes: were they longer, an access of a warp would have gaps, and a store
  /// would fill only half of each sector of 32 bytes. Shorter ones where a thread has not registers enough for its
  /// columns, if that helps.
  RowSharing shareOf(const RowShape &shape, const ScheduleOverride &numbers, int64_t leastLanes) {
    RowSharing best{widestVector(shape, leastLanes), 0};
    int64_t least = INT64_MAX;
    for (int64_t each = best.lanes; each >= leastLanes; each /= 2) {
      RowSharing sharing{lanesFor(each, numbers, leastLanes), 0};
      sharing.threads = threadsFor(shape, sharing.lanes, numbers);
      int64_t above = std::max<int64_t>(0, shape.registers(sharing) - mostOf(sharing.threads));
      if (above < least) {
        best = sharing;
        least = above;
      }
    }
    return best;
  }

  /// Lanes of 16 bytes of the widest stream.
  static int64_t widestVector(const RowShape &shape, int64_t leastLanes) {
    return std::max(16 / std::max(shape.streamed, shape.narrowest), leastLanes);
  }

  /// What is given, else as chosen.
  int64_t lanesFor(int64_t chosen, const ScheduleOverride &numbers, int64_t leastLanes) {
    return numbers.get("lanes", lanes ? std::max(lanes.getValue(), leastLanes) : chosen);
  }
  int64_t threadsFor(const RowShape &shape, int64_t vectorLanes, const ScheduleOverride &numbers) {
    return numbers.get("threads", threads ? threads.getValue() : groupFor(shape, vectorLanes));
  }

  /// Registers that a thread of a group may take for one row of a step.
  static int64_t mostOf(int64_t group) { return std::min(mostRegisters, mostLaunchRegisters(group)); }

  /// The whole of the parts that must meet, each in as few vectors of a thread as there are threads for; else the
  /// largest group of which not many more threads of all parts are idle than of the one that leaves the fewest.
  static int64_t groupFor(const RowShape &shape, int64_t vectorLanes) {
    if (!shape.mayTile()) {
      int64_t widest = 1;
      for (const PartShape &part : shape.parts)
        widest = std::max(widest, part.mayTile ? 1 : part.vectors(vectorLanes));
      return wholeGroup(llvm::divideCeil(widest, llvm::divideCeil(widest, mostGroupThreads)));
    }
    auto threadsOf = [&](int64_t group) { return shape.tiles({vectorLanes, group}) * group; };
    int64_t most = threadsOf(1) + threadsOf(1) / idleShare;
    return *llvm::find_if(tileGroups, [&](int64_t group) { return threadsOf(group) <= most; });
  }

  /// As few rows as bring enough bytes on their way from memory while a multiprocessor waits, and as ask for enough of
  /// them while it waits and computes, if registers allow; more where values stay in registers for more rows than a
  /// step has, and would be moved there, as far as two blocks of 256 threads have registers. One in f64, whose
  /// functions take dozens of registers for each row.
  int64_t rowsFor(const RowShape &shape, RowSharing sharing) {
    int64_t block = std::max(sharing.threads, blockThreads), best = 1;
    double most = 0;
    bool areEnough = false;
    for (int64_t count : {1, 2, 4, 8}) {
      sharing.rows = count;
      int64_t registers = shape.registers(sharing);
      int64_t limit =
          areEnough ? mostRegisters : std::min(mostRowRegisters, mostLaunchRegisters(block) - spareRegisters);
      bool isTooMuch = shape.widest > 4 || registers > limit || (areEnough && best > shape.longest(sharing));
      if (count > 1 && (isTooMuch || (count > usualRows && !fillsChunks(shape, sharing))))
        break;
      double bytes = bytesOnTheirWay(shape, sharing);
      if (areEnough || bytes > most)
        best = count;
      most = std::max(most, bytes);
      areEnough = areEnoughBytes(shape, sharing, most);
    }
    return best;
  }

  /// Of a multiprocessor.
  static double bytesOnTheirWay(const RowShape &shape, RowSharing sharing) {
    int64_t block = std::max(sharing.threads, blockThreads);
    int64_t resident = std::min(processorThreads, processorRegisters / shape.registers(sharing)) / block * block;
    return static_cast<double>(resident * shape.loadedBytes(sharing));
  }

  bool areEnoughBytes(const RowShape &shape, RowSharing sharing, double bytes) {
    return bytes >= bytesInFlight && bytes / timeOfStep(sharing.rows, shape.reduces()) >= wantedRate(shape, sharing);
  }

  /// Whether rows go through shared memory where that is possible: registers hold too few of them on their way, or long
  /// arithmetic lies between the loads, as that of gradients of taps. Not where a part of a row sums along rows beside
  /// others: its threads would meet for fewer rows at a time.
  bool wantsPlaces(const RowShape &shape, RowSharing sharing) {
    bool addsTaps = shape.halo > 0 && shape.sumBytes > 0;
    return (shape.parts.size() == 1 || shape.mayTile()) &&
           (addsTaps || !areEnoughBytes(shape, sharing, bytesOnTheirWay(shape, sharing)));
  }

  /// Rows through shared memory have fewer to a step, as they are on their way for some, and the widest vectors for
  /// which there are registers and room.
  RowSharing withPlaces(const RowShape &shape, RowSharing sharing, const ScheduleOverride &numbers,
                        int64_t leastLanes) {
    if (numbers.has("places")) {
      sharing.places = numbers.get("places", 1);
      return sharing;
    }
    if (!wantsPlaces(shape, sharing))
      return sharing;
    for (int64_t each = widestVector(shape, leastLanes); each >= sharing.lanes; each /= 2) {
      RowSharing copied{lanesFor(each, numbers, leastLanes), 0, 0, usualPlaces};
      copied.threads = threadsFor(shape, copied.lanes, numbers);
      copied.rows = numbers.get("rows", rows ? rows.getValue() : copiedRows);
      if (fitsPlaces(shape, copied))
        return copied;
    }
    return sharing;
  }

  /// Whether a thread has registers, a multiprocessor shared memory for two blocks, and chunks go around the ring some
  /// times.
  bool fitsPlaces(const RowShape &shape, RowSharing sharing) {
    int64_t block = sharing.threads * std::max<int64_t>(1, blockThreads / sharing.threads);
    int64_t bytes = sharing.places * block * shape.fetchedBytes(sharing) + (shape.mayTile() ? 0 : mostSharedBytes);
    return shape.registers(sharing) <= std::min(mostCopiedRegisters, mostLaunchRegisters(block)) &&
           2 * bytes <= mostShared &&
           chunkByCount(shape, sharing, INT64_MAX) >= leastTurns * sharing.rows * sharing.places;
  }

  /// Bytes of a nanosecond that a multiprocessor must load to take its part of the bandwidth.
  double wantedRate(const RowShape &shape, RowSharing sharing) {
    sharing.rows = 1;
    double loaded = shape.loadedBytes(sharing) * sharing.threads * shape.tiles(sharing);
    return spareRate * std::min(1.0, loaded / shape.rowBytes) * bytesOfNanosecond / processors;
  }

  /// Whether chunks have some steps of so many rows, where they are as many as fill the device.
  bool fillsChunks(const RowShape &shape, RowSharing sharing) {
    return chunkByCount(shape, sharing, INT64_MAX) >= 4 * sharing.rows;
  }

  /// A kernel of rows on multiprocessors that have as many blocks as it asks for, if ptxas can keep to their registers;
  /// fewer where it cannot, more where they take less.
  ChunkedRows chunkedRows(const RowShape &shape, RowSharing sharing) {
    int64_t group = sharing.threads, block = group * std::max<int64_t>(1, blockThreads / group);
    int64_t asked = residentRowBlocks(block), registers = shape.registers(sharing);
    // What is on its way early takes registers, too.
    int64_t taken = registers + (shape.reduces() || sharing.copies() ? 0 : mostRegistersAhead);
    double allowed = static_cast<double>(processorRegisters) / static_cast<double>(asked * block);
    int64_t fitting = std::min(processorThreads, processorRegisters / taken) / block;
    int64_t blocks = std::max(registers <= keptShare * allowed ? asked : 1, fitting);
    if (sharing.copies()) // other threads need not hide their ways
      allowed = std::max(allowed, static_cast<double>(processorRegisters) / static_cast<double>(blocks * block));
    int64_t rowThreads = group * shape.tiles(sharing);
    int64_t haloBytes = shape.rolling(sharing) * rowThreads * shape.streamed;
    return {shape.batch,     shape.time,     shape.rowBytes,
            haloBytes,       shape.sumBytes, sharing.rows,
            rowThreads,      blocks * block, taken <= sureShare * allowed,
            block,           processors,     shape.reduces(),
            sharing.copies()};
  }

  /// Rows of a chunk: as many as fill the device, unless fewer or more take clearly less time; more where they surely
  /// do. `mostRows`: of the chunks of a thread block.
  int64_t chunkFor(const RowShape &shape, RowSharing sharing, int64_t mostRows) {
    int64_t byCount = chunkByCount(shape, sharing, mostRows), best = byCount;
    if (shape.halo == 0 && shape.sumBytes < leastSumShare * shape.rowBytes)
      return byCount;
    ChunkedRows kernel = chunkedRows(shape, sharing);
    double least = timeOfChunks(kernel, byCount), worth = sharing.copies() ? 1 : worthOther;
    for (int64_t each = sharing.rows; each <= std::min(shape.time, mostRows); each *= 2) {
      if (each > byCount && sharing.copies() && shape.mayTile())
        break; // tiles of unlike parts take unlike long, so that one wave of them leaves multiprocessors idle
      double time = each > byCount ? longestTimeOfChunks(kernel, each) : timeOfChunks(kernel, each);
      if (time >= worth * least)
        continue;
      best = each;
      least = time;
    }
    return best;
  }

  /// A power of two. Chunks are long beside what they read of their neighbours and beside their column sums, and fewer
  /// rows where the device would stay empty, down to where borders cost a fifth.
  int64_t chunkByCount(const RowShape &shape, RowSharing sharing, int64_t mostRows) {
    int64_t rowThreads = sharing.threads * shape.tiles(sharing), stepRows = sharing.rows;
    int64_t bySums = sumShare * shape.sumBytes / std::max<int64_t>(1, shape.rowBytes);
    int64_t want = std::max({haloShare * shape.halo, bySums, 4 * stepRows});
    int64_t fit = std::min(wantedThreads, processorRegisters / shape.registers(sharing));
    int64_t wanted = llvm::divideCeil((shape.mayTile() ? tileWaves : 1) * processors * fit, rowThreads);
    int64_t byCount = std::max<int64_t>(1, shape.batch * shape.time / wanted);
    auto toNearest = [](int64_t rows) { return rows * 4 / 3; }; // a power of two, when the largest below is taken
    int64_t limit = std::max(stepRows, std::min({toNearest(std::max(want, byCount)), int64_t(256), shape.time}));
    limit = std::min({limit, std::max({toNearest(byCount), 5 * shape.halo, stepRows}), std::max(stepRows, mostRows)});
    int64_t chosen = stepRows;
    while (chosen * 2 <= limit)
      chosen *= 2;
    return chosen;
  }

  /// Narrow groups share a block, but no more than there are chunks, as far as whole warps allow.
  static int64_t groupsFor(const RowShape &shape, int64_t group, int64_t chunkRows, int64_t mostRows) {
    int64_t chunks = shape.batch * llvm::divideCeil(shape.time, chunkRows);
    int64_t groups = std::max<int64_t>(1, blockThreads / group);
    while ((groups / 2 >= chunks || groups * chunkRows > mostRows) && groups * group > warpThreads)
      groups /= 2;
    return groups;
  }

  /// A row and how threads share it.
  struct Choice {
    RowShape shape;
    RowSharing sharing;
  };

  Choice choiceFor(const RowPlan &plan, const ScheduleOverride &numbers, bool apart) {
    RowShape shape(plan, apart);
    RowSharing sharing = shareOf(shape, numbers, leastLanes(plan.kernel()));
    sharing.rows = numbers.get("rows", rows ? rows.getValue() : rowsFor(shape, sharing));
    sharing = withPlaces(shape, sharing, numbers, leastLanes(plan.kernel()));
    return {std::move(shape), sharing};
  }

  /// Registers that are missing, then time.
  static std::pair<int64_t, double> costOf(const Choice &choice) {
    int64_t block = std::max(choice.sharing.threads, blockThreads);
    int64_t missing = choice.shape.registers(choice.sharing) + spareRegisters - mostLaunchRegisters(block);
    return {std::max<int64_t>(missing, 0), choice.shape.stepsOfRow(choice.sharing, block)};
  }

  /// Pieces that share no value have thread blocks of their own where nothing is summed along rows; else where that is
  /// faster, or a thread has no registers for all of them.
  Choice choose(const RowPlan &plan, const ScheduleOverride &numbers) {
    Choice apart = choiceFor(plan, numbers, /*apart=*/true);
    if (apart.shape.parts.size() == 1 || apart.shape.mayTile())
      return apart;
    Choice together = choiceFor(plan, numbers, /*apart=*/false);
    return costOf(apart) < costOf(together) ? apart : together;
  }

  kern::ThreadScheduleAttr make(kern::RowwiseOp op, const Choice &choice, const ScheduleOverride &numbers) {
    const auto &[shape, sharing] = choice;
    auto entry = op->getParentOfType<func::FuncOp>();
    int64_t mostRows = entry && isEntry(entry, seq::EntryKind::optimizer) ? mostFlatRows : INT64_MAX;
    int64_t chunkRows = numbers.get("chunk", chunk ? chunk.getValue() : chunkFor(shape, sharing, mostRows));
    int64_t stepRows = numbers.has("rows") ? sharing.rows : std::min(sharing.rows, chunkRows);
    return kern::ThreadScheduleAttr::get(op.getContext(), stepRows, sharing.lanes, chunkRows, sharing.threads,
                                         numbers.get("groups", groupsFor(shape, sharing.threads, chunkRows, mostRows)),
                                         shape.tiles(sharing), sharing.places);
  }

  /// Shared memory of a block under a schedule.
  static int64_t sharedBytes(kern::RowKernel op, CudaBuilder &b) {
    RowPlan plan = planScheduled(op);
    RowWalk walk(plan);
    int64_t bytes = walk.reductionBytes(b);
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
        bytes += ColumnSumStore::sharedBytes(pieces, elementCount(value),
                                             getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() / 8,
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
    if (mayTile(plan, plan.phases()))
      return 0;
    while ((bytes = sharedBytes(op, b)) > mostSharedBytes) {
      bool fewerGroups = !numbers.has("groups") && s.getGroups() > 1 && s.getGroups() * s.getThreads() > warpThreads;
      if (!fewerGroups && s.getChunk() / 2 < leastChunk)
        break;
      int64_t chunkRows = fewerGroups ? s.getChunk() : s.getChunk() / 2;
      s = kern::ThreadScheduleAttr::get(op.getContext(), std::min(s.getRows(), chunkRows), s.getLanes(), chunkRows,
                                        s.getThreads(), fewerGroups ? s.getGroups() / 2 : s.getGroups(), s.getTiles(),
                                        s.getPlaces());
      op.setScheduleAttr(s);
    }
    return bytes;
  }

  LogicalResult choose(kern::RowwiseOp op, const ScheduleOverride &numbers) {
    RowPlan plan(op);
    Choice choice = choose(plan, numbers);
    const RowShape &shape = choice.shape;
    if (failed(checkOverride(numbers, leastLanes(op), 16 / shape.narrowest)))
      return failure();
    CudaBuilder b(op.getLoc(), op.getContext());
    op.setScheduleAttr(make(op, choice, numbers));
    int64_t shared = fitSharedMemory(plan, b, numbers);
    auto s = cast<kern::ThreadScheduleAttr>(*op.getSchedule());
    if (failed(checkTogether(numbers, s, shared)))
      return failure();
    remark::passed(op.getLoc(), remark::RemarkOpts::name("Schedule").category("schedule"))
        << "shares rows out over threads" << remark::metric("rows", s.getRows())
        << remark::metric("lanes", s.getLanes()) << remark::metric("chunk", s.getChunk())
        << remark::metric("threads", s.getThreads()) << remark::metric("groups", s.getGroups())
        << remark::metric("tiles", s.getTiles()) << remark::metric("places", s.getPlaces())
        << remark::metric("chunks", op.getChunks())
        << remark::metric("estimated_registers", shape.registers({s.getLanes(), s.getThreads(), s.getRows()}))
        << remark::metric("shared_bytes", shared);
    numbers.remark({{"rows", s.getRows()},
                    {"lanes", s.getLanes()},
                    {"chunk", s.getChunk()},
                    {"threads", s.getThreads()},
                    {"groups", s.getGroups()},
                    {"tiles", s.getTiles()},
                    {"places", s.getPlaces()}});
    return success();
  }
};
} // namespace
