//===- ChooseSchedule.cpp - how kernels are shared out over threads -------===//
#include "codegen/cuda/GivenSchedule.h"
#include "codegen/cuda/Passes.h"
#include "codegen/cuda/RegisterEstimate.h"
#include "codegen/cuda/RowWalk.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

namespace stretto {
#define GEN_PASS_DEF_CHOOSECUDASCHEDULE
#include "codegen/cuda/Passes.h.inc"
} // namespace stretto

using namespace mlir;
using namespace stretto;

namespace {
constexpr int64_t mostRegisters = 128;   // of a thread: half the threads a multiprocessor can have
constexpr int64_t otherRegisters = 28;   // addresses, counters, conditions
constexpr int64_t mostTeamThreads = 512; // threads that meet at a barrier
constexpr int64_t blockThreads = 128;    // that narrow teams share
constexpr int64_t wantedThreads = 1024;  // of each multiprocessor, to have enough loads in flight
constexpr int64_t processorRegisters = 65536, processorThreads = 2048;
constexpr int64_t mostRowRegisters = 176;   // of a thread that computes several rows of a step
constexpr int64_t bytesInFlight = 36 << 10; // of a multiprocessor: bandwidth times latency, 4.8 TB/s * 1 us / 132
constexpr int64_t stripWaves = 2;           // of blocks that do not sum along rows: the last wave is seldom full
constexpr int64_t idleShare = 16;           // one of so many threads may be idle so that more lie side by side
constexpr int64_t stripTeams[] = {256, 192, 128, 96, 64, 32, 16, 8, 4, 2, 1};
constexpr int64_t haloShare = 16; // a chunk is so many times longer than what it reads of its neighbours
constexpr int64_t sumShare = 16;  // its data are so many times larger than its column sums

int64_t bytesOf(Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8; }

/// What a schedule follows from.
struct Shape {
  int64_t batch, time;
  int64_t narrowest = 8; // bytes of the narrowest real that is loaded or stored
  int64_t widest = 4;    // bytes of the widest number in a register
  int64_t rowBytes = 0, sumBytes = 0;
  int64_t halo = 0;
  bool mayStrip = false;                  // whether several thread blocks may share the columns of a row
  bool reduces = false;                   // whether sums are taken along rows
  std::vector<std::vector<Domain>> parts; // loops of each part that can have thread blocks of its own
  HeldValues held;                        // by the part that holds most
};

struct ChooseCudaSchedulePass : stretto::impl::ChooseCudaScheduleBase<ChooseCudaSchedulePass> {
  using ChooseCudaScheduleBase::ChooseCudaScheduleBase;

  void runOnOperation() final {
    auto schedules = GivenSchedules::read(given, SmallVector<StringRef>(ArrayRef(givenCudaFields)), getOperation());
    if (failed(schedules))
      return signalPassFailure();
    WalkResult result = getOperation().walk([&](kern::RowwiseOp op) {
      return op.getSchedule() || succeeded(choose(op, schedules->of(op))) ? WalkResult::advance()
                                                                          : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  Shape measure(const RowPlan &plan) {
    kern::RowKernel op = plan.kernel();
    Shape shape;
    std::tie(shape.batch, shape.time) = op.getRows();
    auto count = [&](Value row) {
      shape.rowBytes += elementCount(row) * bytesOf(row.getType());
      if (isa<FloatType>(getElementTypeOrSelf(row.getType())) && elementCount(row) > 1)
        shape.narrowest = std::min(shape.narrowest, bytesOf(row.getType()));
    };
    for (BlockArgument argument : op.getBody().getArguments())
      if (op.getMap(argument.getArgNumber()) != kern::RowMap::shared)
        count(argument);
    for (auto [i, value] : llvm::enumerate(op.getYielded())) {
      if (op.isColumnSum(i))
        shape.sumBytes += elementCount(value) * bytesOf(value.getType());
      else
        count(value);
    }
    shape.mayStrip = mayStrip(plan);
    shape.reduces = !plan.reductions().empty();
    std::vector<SmallVector<RowPhase, 0>> parts{SmallVector<RowPhase, 0>(plan.phases())};
    if (shape.mayStrip)
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

  /// The largest vectors with which a thread has registers enough.
  int64_t lanesFor(const Shape &shape) {
    int64_t chosen = 16 / shape.narrowest;
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

  /// One team for the whole row where it must meet; else the largest of which not many more threads of all parts are
  /// idle than of the one that leaves the fewest.
  static int64_t teamFor(const Shape &shape, int64_t vectorLanes) {
    if (!shape.mayStrip) {
      int64_t vectors = vectorsOf(shape, shape.parts[0], vectorLanes);
      return wholeTeam(llvm::divideCeil(vectors, llvm::divideCeil(vectors, mostTeamThreads)));
    }
    auto threadsOf = [&](int64_t team) {
      int64_t total = 0;
      for (const std::vector<Domain> &domains : shape.parts)
        total += llvm::alignTo(vectorsOf(shape, domains, vectorLanes), team);
      return total;
    };
    int64_t most = threadsOf(1) + threadsOf(1) / idleShare;
    return *llvm::find_if(stripTeams, [&](int64_t team) { return threadsOf(team) <= most; });
  }

  /// Those with `count` rows of a step. What a further row takes was measured on norms, Canon and their backwards: half
  /// as much again as what it loads.
  int64_t registersFor(const Shape &shape, int64_t columns, int64_t count) {
    return registersFor(shape, columns) + (count - 1) * columns * shape.held.loadedBytes * 3 / 8;
  }

  /// As few rows as bring enough bytes on their way from memory while a multiprocessor waits, if registers allow;
  /// one in f64, whose functions take dozens of registers for each row.
  int64_t rowsFor(const Shape &shape, int64_t columns, int64_t team) {
    int64_t block = std::max(team, blockThreads), best = 1, most = 0;
    for (int64_t count : {1, 2, 4}) {
      int64_t registers = registersFor(shape, columns, count);
      if (count > 1 && (shape.widest > 4 || registers > std::min(mostRowRegisters, processorRegisters / block)))
        break;
      int64_t resident = std::min(processorThreads, processorRegisters / registers) / block * block;
      int64_t bytes = resident * count * columns * shape.held.loadedBytes;
      if (bytes > most) {
        most = bytes;
        best = count;
      }
      if (bytes >= bytesInFlight)
        break;
    }
    return best;
  }

  /// `rowThreads`: of all teams that share a chunk; `registers` of each.
  int64_t chunkFor(const Shape &shape, int64_t rowThreads, int64_t registers, int64_t stepRows) {
    int64_t bySums = sumShare * shape.sumBytes / std::max<int64_t>(1, shape.rowBytes);
    int64_t want = std::max({haloShare * shape.halo, bySums, 4 * stepRows});
    int64_t fit = std::min(wantedThreads, processorRegisters / registers);
    int64_t wanted = llvm::divideCeil((shape.mayStrip ? stripWaves : 1) * processors * fit, rowThreads);
    int64_t byCount = std::max<int64_t>(1, shape.batch * shape.time / wanted);
    auto toNearest = [](int64_t rows) { return rows * 4 / 3; }; // a power of two, when the largest below is taken
    int64_t limit = std::max(stepRows, std::min({toNearest(std::max(want, byCount)), int64_t(256), shape.time}));
    // Fewer rows where the device would stay empty, down to where borders cost a fifth.
    limit = std::min(limit, std::max({toNearest(byCount), 5 * shape.halo, stepRows}));
    int64_t chosen = stepRows;
    while (chosen * 2 <= limit)
      chosen *= 2;
    return chosen;
  }

  /// Narrow teams share a block, but no more than there are chunks, as far as whole warps allow.
  static int64_t teamsFor(const Shape &shape, int64_t team, int64_t chunkRows) {
    int64_t chunks = shape.batch * llvm::divideCeil(shape.time, chunkRows);
    int64_t teams = std::max<int64_t>(1, blockThreads / team);
    while (teams / 2 >= chunks && teams * team > warpThreads)
      teams /= 2;
    return teams;
  }

  kern::ThreadScheduleAttr make(kern::RowwiseOp op, const Shape &shape, const GivenSchedule &numbers) {
    int64_t vectorLanes = numbers.get("lanes", std::max(lanes ? lanes.getValue() : lanesFor(shape), leastLanes(op)));
    int64_t team = numbers.get("threads", threads ? threads.getValue() : teamFor(shape, vectorLanes));
    int64_t columns = vectorLanes;
    if (!shape.mayStrip)
      columns *= llvm::divideCeil(vectorsOf(shape, shape.parts[0], vectorLanes), team);
    int64_t stepRows = numbers.get("rows", rows ? rows.getValue() : rowsFor(shape, columns, team));
    int64_t strips = 0;
    for (const std::vector<Domain> &domains : shape.parts)
      strips += shape.mayStrip ? llvm::divideCeil(vectorsOf(shape, domains, vectorLanes), team) : 1;
    int64_t registers = registersFor(shape, columns, stepRows);
    int64_t chunkRows =
        numbers.get("chunk", chunk ? chunk.getValue() : chunkFor(shape, team * strips, registers, stepRows));
    if (!numbers.has("rows"))
      stepRows = std::min(stepRows, chunkRows);
    return kern::ThreadScheduleAttr::get(op.getContext(), stepRows, vectorLanes, chunkRows, team,
                                         numbers.get("teams", teamsFor(shape, team, chunkRows)), strips);
  }

  /// Shared memory of a block under a schedule.
  static int64_t sharedBytes(const RowPlan &plan, CudaBuilder &b) {
    if (plan.reductions().empty() && mayStrip(plan))
      return 0;
    RowWalk walk(plan);
    auto layoutOf = [&](Domain domain) -> const ThreadLayout & { return walk.parts[0].layoutOf(domain); };
    TeamReductions reductions(b, plan, walk.schedule.getThreads(), walk.schedule.getTeams(), walk.rowsWalked(),
                              layoutOf);
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
                                             walk.schedule.getTeams());
    }
    return bytes;
  }

  /// Fewer teams of a block, then shorter chunks, until shared memory suffices; what is given stays. Returns the bytes
  /// that a block takes.
  static int64_t fitSharedMemory(const RowPlan &plan, CudaBuilder &b, const GivenSchedule &numbers) {
    kern::RowKernel op = plan.kernel();
    auto s = cast<kern::ThreadScheduleAttr>(*op.getSchedule());
    int64_t leastChunk = numbers.has("chunk") ? s.getChunk() : numbers.get("rows", 1), bytes;
    while ((bytes = sharedBytes(plan, b)) > mostSharedBytes) {
      bool fewerTeams = !numbers.has("teams") && s.getTeams() > 1 && s.getTeams() * s.getThreads() > warpThreads;
      if (!fewerTeams && s.getChunk() / 2 < leastChunk)
        break;
      int64_t chunkRows = fewerTeams ? s.getChunk() : s.getChunk() / 2;
      s = kern::ThreadScheduleAttr::get(op.getContext(), std::min(s.getRows(), chunkRows), s.getLanes(), chunkRows,
                                        s.getThreads(), fewerTeams ? s.getTeams() / 2 : s.getTeams(), s.getStrips());
      op.setScheduleAttr(s);
    }
    return bytes;
  }

  LogicalResult choose(kern::RowwiseOp op, const GivenSchedule &numbers) {
    RowPlan plan(op);
    Shape shape = measure(plan);
    if (failed(checkGiven(numbers, leastLanes(op), 16 / shape.narrowest)))
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
        << remark::metric("threads", s.getThreads()) << remark::metric("teams", s.getTeams())
        << remark::metric("strips", s.getStrips()) << remark::metric("chunks", op.getChunks())
        << remark::metric("estimated_registers", registersFor(shape, s.getLanes()))
        << remark::metric("shared_bytes", shared);
    numbers.remark({{"rows", s.getRows()},
                    {"lanes", s.getLanes()},
                    {"chunk", s.getChunk()},
                    {"threads", s.getThreads()},
                    {"teams", s.getTeams()},
                    {"strips", s.getStrips()}});
    return success();
  }
};
} // namespace
