//===- RowBlocks.h - the code of a kernel for the rows of one chunk ------------===//
//
//   clear the chunk's column sums
//   reductions of the rows before the first that later rows read
//   the first rows of rolling buffers
//   while rows are left
//     a block of rows where nothing reaches over the ends of the sequence, else one row with masked taps;
//     where the body masks rows, the block is there twice, without masks for rows that none of them hides
#pragma once

#include "codegen/cpu/RowEmitter.h"

namespace stretto::codegen {

/// How many rows are computed together, and columns at a time; rows of a chunk.
struct Blocking {
  int64_t rows, lanes, chunk;
};

class RowBlocks {
public:
  /// `scratchOffset`: bytes of a thread's scratch memory that are taken already, whole cache lines.
  RowBlocks(VectorBuilder &builder, const RowPlan &plan, Blocking blocking, int64_t scratchOffset = 0);

  /// Bytes of scratch memory, those that were taken included.
  int64_t scratchBytes() const { return scratchEnd; }
  /// Buffers as rows of `sequence` and column sums of `chunk`, which begins with row `first` of it. `pointers`: of the
  /// operands and then of the results; an argument that the kernel computes has none yet.
  RowFrame frameOf(mlir::ValueRange pointers, mlir::Value scratch, mlir::Value chunk, mlir::Value sequence,
                   mlir::Value first);

  void clearColumnSums(const RowFrame &frame);
  /// What comes before the first row of a chunk.
  void emitBegin(const RowFrame &frame, mlir::Value first);
  void emitRows(const RowFrame &frame, mlir::Value first, mlir::Value last);

private:
  void layOutScratch();
  void emitBlock(const RowFrame &frame, mlir::Value row, int64_t rows);
  void emitPhases(const RowFrame &frame, mlir::Value row, int64_t rows, bool careful, AssumedRows *assumed = nullptr);
  bool masksRows();
  bool hasWholeBlocks() const;

  VectorBuilder &b;
  const RowPlan &plan;
  kern::RowKernel op;
  StoredValues stored;
  Blocking blocking;
  int64_t batch, time;
  llvm::SmallVector<int64_t> slotOffsets;
  llvm::SmallVector<RowBuffer> storedRows; // without pointers
  llvm::SmallVector<int64_t> storedOffsets;
  int64_t scratchEnd;
};

} // namespace stretto::codegen
