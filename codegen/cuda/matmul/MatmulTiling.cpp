//===- MatmulTiling.cpp - how a matmul on tensor cores is cut into tiles ---------===//
#include "codegen/cuda/matmul/MatmulTiling.h"

#include "codegen/cuda/LaunchRegisters.h"
#include "codegen/cuda/SharedMemory.h"
#include "codegen/cuda/matmul/Stages.h"
#include "codegen/rows/ScheduleOverrides.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

// Registers of a thread: as instructions can name them, and what one that multiplies takes besides its sums.
static constexpr int64_t mostRegisters = 248, otherRegisters = 32;

MatmulTiling::MatmulTiling(kern::MatmulOp op, RowRange halo)
    : rows(op.getRows().first * op.getRows().second), time(op.getRows().second), columns(op.getColumns()),
      depth(op.getDepth()), halo(halo), isTransposed(op.getForm() == kern::WeightForm::transposed) {}

MatmulTiling::MatmulTiling(kern::MatmulOp op, kern::TileScheduleAttr s, RowRange halo) : MatmulTiling(op, halo) {
  run = s.getRun();
  tileRows = s.getTileRows();
  pieces = s.getPieces();
  strip = s.getStrip();
  stages = s.getStages();
  blocks = s.getBlocks();
  cluster = s.getCluster();
  warps = s.getWarps();
  groupThreads = s.getThreads();
  stepRows = s.getRows();
  lanes = s.getLanes();
}

kern::TileScheduleAttr MatmulTiling::schedule(MLIRContext *context) const {
  return kern::TileScheduleAttr::get(context, run, tileRows, pieces, strip, stages, blocks, warps, groupThreads,
                                     stepRows, lanes, cluster);
}

int64_t MatmulTiling::sharedBytes() const { return barrierStart() + Stages::bytes(stages) + Stages::bytes(1); }

int64_t MatmulTiling::registersAtLaunch() const { return mostLaunchRegisters(threads()); }

int64_t MatmulTiling::registersOfConsumer() const { return llvm::alignTo(sumsOfThread() + otherRegisters, 8); }

int64_t MatmulTiling::registersOfEpilogue() const {
  int64_t others = consumerWarps() * registersOfConsumer() + copierWarps() * registersOfCopier;
  int64_t left = (allWarps() * registersAtLaunch() - others) / firstConsumer();
  return std::clamp<int64_t>(llvm::alignDown(left, 8), registersAtLaunch(), mostRegisters);
}

bool MatmulTiling::tilesDiffer() const {
  int64_t rowsOfLast = rows - (runs() - 1) * run - (runsOverlap() ? halo.low : 0);
  int64_t tilesOfLast = llvm::divideCeil(rowsOfLast, tileRows);
  return cluster > 1 && (lacksRuns() || tilesOfLast < tilesOfRun());
}

SmallVector<ScheduleRule> MatmulTiling::rules() const {
  int64_t unit = columnUnit(isTransposed);
  auto multiples = [](int64_t of, int64_t most) {
    return ("a multiple of " + Twine(of) + ", and at most " + Twine(most)).str();
  };
  std::string rowsExpected = "64 or 128";
  if (span() > 0)
    rowsExpected += ", and more than the " + std::to_string(span()) + " rows that taps bring together";
  std::string warpsExpected = "3, 4, 7 or 8, where threads have registers for the sums of their columns";
  int64_t boxLines = isTransposed ? strip : stepDepth;
  bool divides = llvm::isPowerOf2_64(cluster) && cluster <= mostCluster && blocks % cluster == 0 &&
                 boxLines % (cluster * patternLines) == 0;
  std::string clusterExpected = ("1, 2, 4 or 8, such that it divides the " + Twine(blocks) + " blocks").str();
  if (isTransposed)
    clusterExpected += (", and " + Twine(patternLines) + " times it the " + Twine(strip) + " columns of a strip").str();
  std::string room = ("at least 2, and few enough for a block to take at most " + Twine(mostShared) +
                      " bytes of shared memory (it takes " + Twine(sharedBytes()) + ")")
                         .str();
  return {{"run", run, run >= 1, "at least 1"},
          {"blocks", blocks, blocks >= 1, "at least 1"},
          {"tile_rows", tileRows, (tileRows == 64 || tileRows == 128) && tileRows > span(), rowsExpected},
          {"pieces", pieces, pieces >= 1 && columns % pieces == 0,
           "a divisor of the " + std::to_string(columns) + " columns"},
          {"strip", strip, strip >= unit && strip % unit == 0 && tileColumns() <= mostTileColumns,
           multiples(unit, llvm::alignDown(mostTileColumns / pieces, unit))},
          {"warps", warps, llvm::is_contained({3, 4, 7, 8}, warps) && registersOfConsumer() <= registersAtLaunch(),
           warpsExpected},
          {"threads", groupThreads,
           groupThreads >= warpThreads && groupThreads % warpThreads == 0 && groupThreads <= warps * warpThreads,
           multiples(warpThreads, warps * warpThreads)},
          {"rows", stepRows, stepRows >= 1 && stepRows <= kern::mostRows, "1 to " + std::to_string(kern::mostRows)},
          {"lanes", lanes, llvm::isPowerOf2_64(lanes) && lanes <= 8, "1, 2, 4 or 8"},
          {"stages", stages, stages >= 2 && sharedBytes() <= mostShared, room},
          {"cluster", cluster, divides, clusterExpected}};
}
