//===- ChooseMatmulSchedule.cpp - tiles of a matmul on tensor cores -----------------===//
//
// That schedule is best whose busiest block takes the least time; of several such the one with the largest tiles, then
// the one with the fewest warps, then without clusters, then with the longest runs, which read the same weight. Small
// tiles are for matmuls that would leave multiprocessors without work: they take more bytes from the second-level cache
// for the same multiplications.
#include "codegen/cuda/EstimatedGpu.h"
#include "codegen/cuda/ScheduleOverride.h"
#include "codegen/cuda/SharedMemory.h"
#include "codegen/cuda/matmul/Epilogue.h"
#include "codegen/cuda/matmul/EpilogueCost.h"
#include "codegen/cuda/matmul/MatmulKernel.h"
#include "codegen/cuda/matmul/MatmulTiling.h"
#include "codegen/rows/BytesMoved.h"

#include "mlir/IR/Remarks.h"

#include <limits>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

// More hide no more of what a copy takes; with fewer, tensor cores would wait.
static constexpr int64_t mostStages = 4, leastStages = 3;

// Of a multiprocessor in a cycle: multiply-adds of bf16 (2048 by the data sheet of an H100, of which large matmuls
// reach 83 %), bytes that the second-level cache delivers for it, and bytes that arrive; see "Clusters" in
// docs/matmuls-cuda.md.
static constexpr int64_t multiplyAdds = 1700, deliveredBytes = 36, arrivingBytes = 64;
// Blocks of a cluster. Two multiprocessors are always neighbours; larger clusters may leave some without a block.
static constexpr int64_t clusters[] = {1, 2};

// Cycles of a scheduler for an estimated instruction of an epilogue: measured on an H200 for the backward of Canon with
// SwiGLU, with one warp on each scheduler, and with two, which were no faster together.
static constexpr double cyclesOfInstruction = 2.2;
static constexpr int64_t warpSchedulers = 4;
// Of what goes on beside it, so much an epilogue may be estimated to take until it is thought to take longer.
static constexpr double certainty = 0.8;
// Of a load from a busy memory.
static constexpr double cyclesOfLoad = 1200;

namespace {
class Chooser {
public:
  Chooser(kern::MatmulOp op, const ScheduleOverride &given, int64_t processors)
      : Chooser(op, RowPlan(op), given, processors) {}
  Chooser(kern::MatmulOp op, const RowPlan &plan, const ScheduleOverride &given, int64_t processors)
      : op(op), given(given), processors(processors), halo(plan.halo()), meeting(op, 0), whole(op, halo),
        moving(static_cast<double>(bytesOfOperands(op) + bytesMoved(op)) / bytesOfNanosecond * cyclesOfNanosecond),
        sharesSums(!mayTile(plan, plan.phases())) {}

  struct Candidate {
    MatmulTiling tiling;
    bool isPossible;
    double cycles = 0;
    double epilogue = 0; // of them, of one tile

    /// The same sums of other numbers of tiles differ by what rounds.
    bool isBetterThan(const Candidate &other) const {
      constexpr double less = 1 - 1e-9;
      return isPossible && (!other.isPossible || cycles < less * other.cycles);
    }
  };

  /// Of all schedules that can be the best one; where none can, one of them. Reports numbers of strips that cannot
  /// serve, and columns that do not fit.
  FailureOr<Candidate> choose();

private:
  /// A tile, and what it takes whatever the threads of its epilogue do: hundreds of layouts and runs ask for that.
  struct Tile {
    MatmulTiling tiling;
    int64_t registers;           // of a thread of the epilogue
    int64_t delivered, arriving; // bytes of operands
    double multiplying;          // cycles
    double movingShare;          // of `moving`, in cycles: all multiprocessors have as many tiles
  };

  std::optional<StripForm> formOf(int64_t columns);
  Candidate withLayout(const StripPlans &plans, const EpilogueCost &cost, int64_t rows, int64_t warps, int64_t cluster,
                       llvm::ArrayRef<int64_t> runs);
  Tile tileOf(StripForm form, int64_t rows, int64_t warps, int64_t cluster) const;
  MatmulTiling make(const Tile &tile, const EpilogueLayout &layout) const;
  void setRun(MatmulTiling &t, int64_t run) const;
  llvm::SmallVector<int64_t> runsOf(int64_t rows);
  static bool holds(const MatmulTiling &tiling);
  static bool hidesLoads(const MatmulTiling &t, const EpilogueLayout &layout);
  static bool registersSuffice(const Tile &tile, const MatmulTiling &t, const EpilogueLayout &layout);
  static double cyclesOfEpilogue(const Tile &tile, const MatmulTiling &t, const EpilogueLayout &layout);
  static double cyclesOfTile(const Tile &tile, const EpilogueLayout &layout);

  kern::MatmulOp op;
  const ScheduleOverride &given;
  int64_t processors;
  RowRange halo;
  MeetingColumns meeting;
  MatmulTiling whole;
  double moving;   // cycles of the bytes of the launch
  bool sharesSums; // that threads of a group add up together
};
} // namespace

std::optional<StripForm> Chooser::formOf(int64_t columns) {
  bool isTransposed = op.getForm() == kern::WeightForm::transposed;
  auto form = meeting.choose(columns, columns, MatmulTiling::columnUnit(isTransposed));
  if (!given.has("strip") && !given.has("pieces"))
    return form;
  StripForm other = form.value_or(StripForm{1, columns});
  return StripForm{given.get("pieces", other.pieces), given.get("strip", other.width)};
}

FailureOr<Chooser::Candidate> Chooser::choose() {
  std::optional<Candidate> best;
  for (int64_t columns : {256, 192, 128, 64}) {
    std::optional<StripForm> form = formOf(columns);
    if (!form)
      continue;
    for (StringRef field : {"pieces", "strip"})
      if (failed(given.check(field, meeting.allow(*form), "such that columns of two strips do not meet")))
        return failure();
    StripPlans plans(op, meeting, *form);
    EpilogueCost cost(op, plans, given);
    for (int64_t usualRows : {128, 64}) {
      const int64_t rows = given.get("tile_rows", usualRows);
      const SmallVector<int64_t> runs = runsOf(rows);
      for (int64_t warps : {3, 4, 7, 8})
        for (int64_t cluster : clusters)
          if (Candidate other =
                  withLayout(plans, cost, rows, given.get("warps", warps), given.get("cluster", cluster), runs);
              !best || other.isBetterThan(*best))
            best = other;
    }
  }
  if (!best)
    return op.emitOpError() << "brings together columns that do not fit a tile";
  return *best;
}

/// Runs of whole tiles, and of whole sequences, which need no rows around them.
llvm::SmallVector<int64_t> Chooser::runsOf(int64_t rows) {
  auto [batch, time] = op.getRows();
  int64_t all = batch * time, span = halo.high - halo.low;
  SmallVector<int64_t> runs;
  for (int64_t run = rows; run < all + rows; run += rows)
    if (int64_t without = run % time == 0 || run >= all ? run : run - span; without > 0)
      runs.push_back(without);
  for (int64_t sequences = 1; sequences <= batch; ++sequences)
    runs.push_back(sequences * time);
  return given.has("run") ? SmallVector<int64_t>{given.get("run", all)} : runs;
}

Chooser::Candidate Chooser::withLayout(const StripPlans &plans, const EpilogueCost &cost, int64_t rows, int64_t warps,
                                       int64_t cluster, ArrayRef<int64_t> runs) {
  const Tile tile = tileOf(plans.form(), rows, warps, cluster);
  auto fits = [&](const EpilogueLayout &layout) { return registersSuffice(tile, make(tile, layout), layout); };
  EpilogueLayout layout = cost.choose(warps, fits, [&](const EpilogueLayout &layout) {
    double beside = std::max(cyclesOfTile(tile, layout), tile.movingShare);
    return std::max(certainty * beside, cyclesOfEpilogue(tile, make(tile, layout), layout));
  });
  layout.sumBytes = sharesSums ? sumBytes(op, plans, make(tile, layout)) : 0;
  Candidate best{make(tile, layout), /*isPossible=*/false};
  setRun(best.tiling, runs.front());
  best.isPossible = holds(best.tiling) && best.tiling.roomStart() + layout.sumBytes <= mostShared;
  if (!best.isPossible)
    return best;
  // No rule depends on the run, but that a given one is no less than 1, which is checked in the end.
  best.epilogue = cyclesOfEpilogue(tile, best.tiling, layout);
  double ofTile = std::max(cyclesOfTile(tile, layout), best.epilogue);
  best.cycles = std::numeric_limits<double>::infinity();
  MatmulTiling t = best.tiling;
  for (int64_t run : runs) {
    setRun(t, run);
    if (double cycles = std::max(moving, static_cast<double>(t.tilesOfBlock()) * ofTile); cycles <= best.cycles) {
      best.tiling = t;
      best.cycles = cycles;
    }
  }
  return best;
}

bool Chooser::holds(const MatmulTiling &tiling) {
  return llvm::all_of(tiling.rules(), [](const ScheduleRule &rule) { return rule.holds; });
}

Chooser::Tile Chooser::tileOf(StripForm form, int64_t rows, int64_t warps, int64_t cluster) const {
  MatmulTiling t = whole;
  std::tie(t.pieces, t.strip) = std::tie(form.pieces, form.width);
  std::tie(t.tileRows, t.warps, t.cluster) = std::tie(rows, warps, cluster);
  auto multiplied = static_cast<double>(t.tileRows * t.tileColumns() * t.steps() * MatmulTiling::stepDepth);
  int64_t tiles = t.strips() * llvm::divideCeil(t.rows, t.tileRows);
  return {.tiling = t,
          .registers = t.registersOfEpilogue(),
          .delivered = t.steps() * (t.leftBytes() + t.rightBytes() / t.cluster),
          .arriving = t.steps() * (t.leftBytes() + t.rightBytes()),
          .multiplying = multiplied / multiplyAdds,
          .movingShare = moving / static_cast<double>(llvm::divideCeil(tiles, processors))};
}

/// All but the run, and the blocks that follow from it.
MatmulTiling Chooser::make(const Tile &tile, const EpilogueLayout &layout) const {
  MatmulTiling t = tile.tiling;
  std::tie(t.groupThreads, t.stepRows, t.lanes) = std::tie(layout.threads, layout.rows, layout.lanes);
  t.stages = given.get("stages", mostStages);
  while (!given.has("stages") && t.stages > 1 && t.roomStart() + layout.sumBytes > mostShared)
    --t.stages;
  if (!given.has("stages") && t.stages > leastStages && !hidesLoads(t, layout)) {
    MatmulTiling fewer = t;
    fewer.stages = leastStages;
    if (hidesLoads(fewer, layout))
      t = fewer;
  }
  return t;
}

void Chooser::setRun(MatmulTiling &t, int64_t run) const {
  t.run = run;
  int64_t most = std::max<int64_t>(t.cluster, llvm::alignDown(processors, t.cluster));
  t.blocks = given.get("blocks", std::min(t.items(), most));
}

/// Whether there is shared memory for what the epilogue loads some rows later (Prefetch.h).
bool Chooser::hidesLoads(const MatmulTiling &t, const EpilogueLayout &layout) {
  int64_t ring = usualPlaces * layout.rows * layout.fetched * t.groups() * t.groupThreads;
  return t.roomStart() + layout.sumBytes + ring <= mostShared;
}

/// Tables that come some rows earlier wait in shared memory until a row needs them.
bool Chooser::registersSuffice(const Tile &tile, const MatmulTiling &t, const EpilogueLayout &layout) {
  return layout.registers + (hidesLoads(t, layout) ? 0 : layout.tables) <= tile.registers;
}

double Chooser::cyclesOfEpilogue(const Tile &tile, const MatmulTiling &t, const EpilogueLayout &layout) {
  double turns = cyclesOfInstruction * llvm::divideCeil(t.activeWarps(), warpSchedulers);
  int64_t steps = llvm::divideCeil(llvm::divideCeil(t.tileRows, t.groups()), t.stepRows);
  double cycles = steps * t.stepRows * layout.instructions * turns;
  if (!hidesLoads(t, layout))
    cycles += steps * cyclesOfLoad;
  return registersSuffice(tile, t, layout) ? cycles : 2 * cycles; // some come from memory
}

/// Of a tile, without its epilogue: the longest of what goes on at once. What the epilogue loads is delivered, too.
double Chooser::cyclesOfTile(const Tile &tile, const EpilogueLayout &layout) {
  auto fetched = static_cast<double>(tile.tiling.tileRows * layout.threads * layout.fetched);
  double delivered = static_cast<double>(tile.delivered) + fetched;
  double arriving = static_cast<double>(tile.arriving) + fetched;
  return std::max({tile.multiplying, delivered / deliveredBytes, arriving / arrivingBytes});
}

LogicalResult stretto::codegen::chooseMatmulSchedule(kern::MatmulOp op, const ScheduleOverride &given,
                                                     int64_t processors) {
  Chooser chooser(op, given, processors);
  auto chosen = chooser.choose();
  if (failed(chosen))
    return failure();
  const MatmulTiling &tiling = chosen->tiling;
  if (failed(checkRules(given, tiling.rules())))
    return failure();
  if (int64_t sums = sumBytes(op, StripPlans(op, {tiling.pieces, tiling.strip}), tiling),
      left = mostShared - tiling.roomStart();
      left >= 0 && sums > left)
    return op.emitOpError() << "has an epilogue whose sums take " << sums << " bytes of shared memory, but a block has "
                            << left << " bytes beside its tiles";
  op.setScheduleAttr(tiling.schedule(op.getContext()));
  std::pair<StringRef, int64_t> fields[] = {
      {"run", tiling.run},     {"tile_rows", tiling.tileRows},   {"pieces", tiling.pieces},
      {"strip", tiling.strip}, {"stages", tiling.stages},        {"blocks", tiling.blocks},
      {"warps", tiling.warps}, {"threads", tiling.groupThreads}, {"rows", tiling.stepRows},
      {"lanes", tiling.lanes}, {"cluster", tiling.cluster}};
  auto remark = remark::passed(op.getLoc(), remark::RemarkOpts::name("Schedule").category("schedule"));
  remark << "cuts a matmul into tiles";
  for (auto [field, number] : fields)
    remark << remark::metric(field, number);
  remark << remark::metric("items", tiling.items()) << remark::metric("tiles_of_block", tiling.tilesOfBlock())
         << remark::metric("shared_bytes", tiling.sharedBytes());
  given.remark(fields);
  return success();
}

std::optional<double> stretto::codegen::estimateCycles(kern::MatmulOp op, int64_t processors) {
  auto chosen = Chooser(op, ScheduleOverride(op), processors).choose();
  return chosen->isPossible ? std::optional(chosen->cycles + chosen->epilogue) : std::nullopt;
}
