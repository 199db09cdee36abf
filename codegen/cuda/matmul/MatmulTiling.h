//===- MatmulTiling.h - how a matmul on tensor cores is cut into tiles -----------===//
//
// Rows are those of all sequences, one behind the other. `tile_columns` columns are a strip, `tile_rows` rows of it a
// tile, `run` tiles of a strip, in the order of rows, an item. Blocks of threads go over items; a block computes a tile
// in steps of `stepDepth` terms, whose operands go through `stages` places in shared memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/cuda/CudaBuilder.h"
#include "ir/kern/KernOps.h"

namespace stretto::codegen {

/// A field of a schedule, and what it must be.
struct TileRule {
  llvm::StringRef field;
  int64_t value;
  bool holds;
  std::string expected;
};

struct MatmulTiling {
  /// Of an operation, with its schedule or another one.
  explicit MatmulTiling(kern::MatmulOp op)
      : MatmulTiling(op, llvm::cast<kern::TileScheduleAttr>(op.getScheduleAttr())) {}
  MatmulTiling(kern::MatmulOp op, kern::TileScheduleAttr schedule);

  int64_t rows, columns, depth; // of the whole matmul
  int64_t run, tileRows, tileColumns, stages, blocks;
  bool isTransposed; // the weight is [columns, depth]

  // A line of 128 bytes of bf16, which TMA swizzles and tensor cores read, has the terms of a step.
  static constexpr int64_t lineBytes = 128, stepDepth = 64;
  // What one instruction of a warpgroup multiplies: rows and terms.
  static constexpr int64_t groupRows = 64, termsOfMatmul = 16;
  static constexpr int64_t groupWarps = 4;
  // The first warpgroup: a warp that copies operands, and those that store results.
  static constexpr int64_t epilogueWarps = groupWarps - 1;

  int64_t steps() const { return llvm::divideCeil(depth, stepDepth); }
  int64_t strips() const { return llvm::divideCeil(columns, tileColumns); }
  int64_t tilesOfStrip() const { return llvm::divideCeil(rows, tileRows); }
  int64_t runs() const { return llvm::divideCeil(tilesOfStrip(), run); }
  int64_t items() const { return strips() * runs(); }
  /// Tiles that the block with the most of them computes.
  int64_t tilesOfBlock() const { return llvm::divideCeil(items(), blocks) * run; }

  int64_t consumerWarps() const { return tileRows / groupRows * groupWarps; }
  int64_t threads() const { return (groupWarps + consumerWarps()) * warpThreads; }

  // Of shared memory, in bytes: the operands of a stage, and a tile of the result, whose rows no two banks share.
  int64_t leftBytes() const { return tileRows * lineBytes; }
  int64_t rightBytes() const { return tileColumns * lineBytes; }
  int64_t pitch() const { return tileColumns * 2 + 16; }
  int64_t rightStart() const { return stages * leftBytes(); }
  int64_t stagingStart() const { return rightStart() + stages * rightBytes(); }
  int64_t barrierStart() const { return stagingStart() + tileRows * pitch(); }
  int64_t sharedBytes() const;

  /// What a kernel can be made for.
  llvm::SmallVector<TileRule> rules() const;
};

} // namespace stretto::codegen
