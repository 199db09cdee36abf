//===- MatmulTiling.h - how a matmul on tensor cores is cut into tiles -----------===//
//
// Rows are those of all sequences, one behind the other; `run` of them are a run. The columns of a strip, some of each
// piece, lie side by side in a tile. `tile_rows` rows of a strip are a tile, the tiles of a run an item. Blocks of
// threads go over items; a block computes a tile in steps of `stepDepth` terms, whose operands go through `stages`
// places in shared memory.
//
// Where taps of the epilogue reach over the rows around a run, the first tile begins in front of it, and the last one
// ends behind it: rows that another run stores are computed again. A run of whole sequences needs no others.
//
// `cluster` blocks side by side in the grid are at items of one strip and of runs side by side, and go over as many
// tiles as the first of them has. Where a run has fewer rows, or is not there, tiles are computed that nobody stores.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/cuda/CudaBuilder.h"
#include "codegen/cuda/ScheduleRule.h"
#include "codegen/cuda/SharedMemory.h"
#include "codegen/rows/RowPlan.h"
#include "ir/kern/KernOps.h"

namespace stretto::codegen {

struct MatmulTiling {
  /// Of an operation, with its schedule or another one; `halo`: of its epilogue.
  explicit MatmulTiling(kern::MatmulOp op)
      : MatmulTiling(op, llvm::cast<kern::TileScheduleAttr>(op.getScheduleAttr()), RowPlan(op).halo()) {}
  MatmulTiling(kern::MatmulOp op, kern::TileScheduleAttr schedule, RowRange halo);
  /// The fields of its schedule are still to be set.
  MatmulTiling(kern::MatmulOp op, RowRange halo);
  kern::TileScheduleAttr schedule(mlir::MLIRContext *context) const;

  int64_t rows, time, columns, depth; // of the whole matmul; time: rows of a sequence
  RowRange halo;
  bool isTransposed; // the weight is [columns, depth]
  int64_t run = 0, tileRows = 0, pieces = 1, strip = 0, stages = 0, blocks = 0, cluster = 1;
  int64_t warps = 0, groupThreads = 0, stepRows = 0, lanes = 0; // of the epilogue

  // A line of 128 bytes of bf16, which TMA swizzles and tensor cores read, has the terms of a step.
  static constexpr int64_t lineBytes = 128, stepDepth = 64;
  // What one instruction of a warpgroup multiplies: rows and terms.
  static constexpr int64_t matmulRows = 64, termsOfMatmul = 16;
  static constexpr int64_t warpgroupWarps = 4;
  // Of the largest tile: rows of two warpgroups, columns of the widest instruction.
  static constexpr int64_t mostTileRows = 128, mostTileColumns = 256;
  /// Rows of operands have a multiple of so many numbers: bf16 in 16 bytes, which TMA has rows begin at multiples of.
  static constexpr int64_t operandUnit = 8;
  /// TMA swizzles so many lines with each other.
  static constexpr int64_t patternLines = 8;
  static constexpr int64_t mostCluster = kern::DeviceKernelOp::mostOfCluster;
  /// Columns of a strip are a multiple of these: the lines of a pattern, or of a square of the weight.
  static constexpr int64_t columnUnit(bool isTransposed) { return isTransposed ? 16 : stepDepth; }

  int64_t tileColumns() const { return pieces * strip; }
  int64_t pieceColumns() const { return columns / pieces; }
  int64_t steps() const { return llvm::divideCeil(depth, stepDepth); }
  /// Lines of a box of the weight, as TMA brings it: columns, or terms of 64 columns. A block of a cluster brings its
  /// part of each.
  int64_t boxLines() const { return (isTransposed ? strip : stepDepth) / cluster; }
  int64_t strips() const { return llvm::divideCeil(pieceColumns(), strip); }
  int64_t runs() const { return llvm::divideCeil(rows, run); }
  /// With those of runs that the last clusters lack.
  int64_t items() const { return strips() * llvm::alignTo(runs(), cluster); }
  /// Rows that taps bring together with the last of them.
  int64_t span() const { return halo.high - halo.low; }
  /// Whether rows around a run are computed with it.
  bool runsOverlap() const { return span() > 0 && run % time != 0 && run < rows; }
  int64_t tilesOfRun() const { return llvm::divideCeil(run + (runsOverlap() ? span() : 0), tileRows); }
  /// Whether the last clusters have blocks without a run.
  bool lacksRuns() const { return runs() % cluster != 0; }
  /// Whether there are blocks with fewer tiles than the first one of their cluster, or with none.
  bool tilesDiffer() const;
  /// Tiles that the block with the most of them computes.
  int64_t tilesOfBlock() const { return llvm::divideCeil(items(), blocks) * tilesOfRun(); }

  // Warps by number, in whole warpgroups. The one that copies operands fills up one of the epilogue, or is the first of
  // a last one, in which the others have nothing to do.
  bool copierIsApart() const { return warps % warpgroupWarps == 0; }
  int64_t copier() const { return copierIsApart() ? warps + consumerWarps() : 0; }
  int64_t firstOfEpilogue() const { return copierIsApart() ? 0 : 1; }
  int64_t firstConsumer() const { return firstOfEpilogue() + warps; }
  int64_t consumerWarps() const { return tileRows / matmulRows * warpgroupWarps; }
  int64_t copierWarps() const { return copierIsApart() ? warpgroupWarps : 0; }
  int64_t allWarps() const { return firstConsumer() + consumerWarps() + copierWarps(); }
  int64_t threads() const { return allWarps() * warpThreads; }
  /// Sums of a tile that a thread has.
  int64_t sumsOfThread() const { return matmulRows * tileColumns() / (warpgroupWarps * warpThreads); }
  int64_t groups() const { return warps * warpThreads / groupThreads; }
  /// Warps of the epilogue that are in a group: the others have nothing to do.
  int64_t activeWarps() const { return groups() * groupThreads / warpThreads; }
  /// Rows that a group of the epilogue has of a tile, at most: whole steps.
  int64_t groupRows() const {
    return llvm::alignTo(llvm::divideCeil(tileRows + std::max<int64_t>(0, halo.high), groups()), stepRows);
  }

  // Of shared memory, in bytes: the operands of a stage, and a tile of the result, whose rows no two banks share,
  // behind the rows before it that taps still read.
  int64_t leftBytes() const { return tileRows * lineBytes; }
  int64_t rightBytes() const { return tileColumns() * lineBytes; }
  int64_t pitch() const { return tileColumns() * 2 + 16; }
  int64_t rightStart() const { return stages * leftBytes(); }
  int64_t waitingStart() const { return rightStart() + stages * rightBytes(); }
  int64_t stagingStart() const { return waitingStart() + span() * pitch(); }
  int64_t barrierStart() const { return stagingStart() + tileRows * pitch(); }
  int64_t sharedBytes() const;
  /// Behind all of these: what the epilogue has for itself.
  int64_t roomStart() const { return llvm::alignTo(sharedBytes(), sharedAlignment); }
  // Registers of a thread, in eights. A block is launched with as many for each; warpgroups that multiply or copy
  // then keep what they need, and those of the epilogue share the rest.
  static constexpr int64_t registersOfCopier = 56;
  int64_t registersAtLaunch() const;
  int64_t registersOfConsumer() const;
  int64_t registersOfEpilogue() const;
  /// Whether warps exchange registers. Where the epilogue would not gain any, they keep those of the launch.
  bool exchangesRegisters() const { return registersOfEpilogue() > registersAtLaunch(); }

  /// What a kernel can be made for.
  llvm::SmallVector<ScheduleRule> rules() const;
};

} // namespace stretto::codegen
