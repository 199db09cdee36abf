//===- ChooseMatmulSchedule.cpp - tiles of a matmul on tensor cores -----------------===//
//
// That schedule is best whose busiest block takes the least time; of several such the one with the largest tiles, then
// the one with the longest runs, which read the same weight. Small tiles are for matmuls that would leave
// multiprocessors without work: they take more bytes from the second-level cache for the same multiplications.
#include "codegen/cuda/SharedMemory.h"
#include "codegen/cuda/matmul/MatmulKernel.h"
#include "codegen/cuda/matmul/MatmulTiling.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static constexpr int64_t mostStages = 4; // more hide no more of what a copy takes

// Of a multiprocessor in a cycle: multiply-adds of bf16 (data sheet of an H100), and bytes that come by TMA, a guess:
// as many as tiles of 128 x 256 need.
static constexpr int64_t multiplyAdds = 2048, bytesOfCycle = 48;

namespace {
class Chooser {
public:
  Chooser(kern::MatmulOp op, const ScheduleOverride &given, int64_t processors)
      : op(op), given(given), processors(processors) {}

  kern::TileScheduleAttr choose() {
    kern::TileScheduleAttr best;
    for (int64_t columns : {256, 128, 64})
      for (int64_t rows : {128, 64}) {
        kern::TileScheduleAttr other = withRun(given.get("tile_rows", rows), given.get("tile_columns", columns));
        if (!best || time(other) < time(best))
          best = other;
      }
    return best;
  }

private:
  /// Cycles of the busiest block.
  int64_t time(kern::TileScheduleAttr s) {
    MatmulTiling t(op, s);
    int64_t multiplying = t.tileRows * t.tileColumns * MatmulTiling::stepDepth / multiplyAdds;
    return t.tilesOfBlock() * t.steps() * std::max(multiplying, (t.leftBytes() + t.rightBytes()) / bytesOfCycle);
  }

  kern::TileScheduleAttr withRun(int64_t rows, int64_t columns) {
    kern::TileScheduleAttr best = make(given.get("run", 1), rows, columns);
    int64_t longest = given.has("run") ? 0 : MatmulTiling(op, best).tilesOfStrip();
    for (int64_t run = 2; run <= longest; ++run)
      if (kern::TileScheduleAttr other = make(run, rows, columns); time(other) <= time(best))
        best = other;
    return best;
  }

  kern::TileScheduleAttr make(int64_t run, int64_t rows, int64_t columns) {
    auto with = [&](int64_t stages, int64_t blocks) {
      return kern::TileScheduleAttr::get(op.getContext(), run, rows, columns, stages, blocks);
    };
    int64_t stages = given.get("stages", mostStages);
    while (!given.has("stages") && MatmulTiling(op, with(stages, 1)).sharedBytes() > mostShared)
      --stages;
    int64_t items = MatmulTiling(op, with(stages, 1)).items();
    return with(stages, given.get("blocks", std::min(items, processors)));
  }

  kern::MatmulOp op;
  const ScheduleOverride &given;
  int64_t processors;
};
} // namespace

LogicalResult stretto::codegen::chooseMatmulSchedule(kern::MatmulOp op, const ScheduleOverride &given,
                                                     int64_t processors) {
  kern::TileScheduleAttr s = Chooser(op, given, processors).choose();
  MatmulTiling tiling(op, s);
  for (const TileRule &rule : tiling.rules())
    if (failed(given.check(rule.field, rule.holds, rule.expected)))
      return failure();
  op.setScheduleAttr(s);
  remark::passed(op.getLoc(), remark::RemarkOpts::name("Schedule").category("schedule"))
      << "cuts a matmul into tiles" << remark::metric("run", s.getRun()) << remark::metric("tile_rows", s.getTileRows())
      << remark::metric("tile_columns", s.getTileColumns()) << remark::metric("stages", s.getStages())
      << remark::metric("blocks", s.getBlocks()) << remark::metric("items", tiling.items())
      << remark::metric("tiles_of_block", tiling.tilesOfBlock())
      << remark::metric("shared_bytes", tiling.sharedBytes());
  given.remark({{"run", s.getRun()},
                {"tile_rows", s.getTileRows()},
                {"tile_columns", s.getTileColumns()},
                {"stages", s.getStages()},
                {"blocks", s.getBlocks()}});
  return success();
}
