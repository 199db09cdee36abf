//===- ThreadEmitter.h - elements of rows in a thread of a GPU ------------------===//
//
// A thread keeps its columns from the first row to the last, so that all that does not depend on the row is computed in
// front of the loop over rows, and rows that taps look at stay in registers from step to step.
#pragma once

#include "codegen/cuda/ThreadLayout.h"
#include "codegen/rows/ElementEmitter.h"

namespace stretto::codegen {

/// What the results of reductions are read from: `read(reduce, row, element)`, the element as an index.
using ReadReduction = std::function<mlir::Value(seq::ReduceOp, int64_t row, mlir::Value element)>;

class ThreadEmitter final : public ElementEmitter {
public:
  /// Values computed by a thread at a position; all rows of a sequence are below `length`.
  ThreadEmitter(CudaBuilder &builder, const RowPlan &plan, int64_t length, ReadReduction read);

  /// What the code around says: operands by number.
  llvm::SmallVector<RowBuffer> inputs;

  /// What the thread stores lies in a chunk that exists where `live` holds (null: each does), in rows before `end`; the
  /// first `sure` rows of each step are among them.
  void enterChunk(mlir::Value live, mlir::Value end, int64_t sure);
  /// Rows count from `base` from now on. `loop`: a loop that the code stands in, in front of which all goes that
  /// depends on no row, or null where there is none. Rows from `firstUnsure` on may lie behind the end of the sequence,
  /// those below zero in front of it.
  void enterRows(mlir::Value base, mlir::Operation *loop, int64_t firstUnsure);
  /// Where the thread stands from now on. `number` tells positions apart; `loop`: a loop over slots, or null.
  void enterPosition(const ThreadLayout &layout, const Position &position, int64_t number, mlir::Operation *loop);
  /// Where a plan is for several strips: which of them the thread computes.
  void enterStrip(mlir::Value number) { strip = number; }
  /// The thread stands nowhere: code goes behind what there is.
  void leavePosition();

  /// Says that a value is known at a row of the current position.
  void remember(mlir::Value value, int64_t row, Index index, mlir::Value known);
  mlir::Value elementOf(Index index) override;
  /// Number of a row of the sequence; not kept inside of it.
  mlir::Value rowNumber(int64_t row);
  /// Bytes that divide the address of `index` in rows of a buffer.
  int64_t alignmentOf(const RowBuffer &buffer, Index index) const;

private:
  /// What is made once besides values.
  enum Kind : int64_t {
    rowOf = anywhere - 1,
    insideRowOf = anywhere - 2,
    isInside = anywhere - 3,
    rowPointer = anywhere - 4,
    storedRowOf = anywhere - 5,
    elementNumber = anywhere - 6,
    stagedRowOf = anywhere - 7
  };

  Emitted compute(mlir::Value value, int64_t row, Index index) override;
  Emitted loadOperand(mlir::BlockArgument argument, int64_t row, Index index) override;
  Emitted loadReduction(seq::ReduceOp reduce, int64_t row, Index index) override;
  Emitted seenByTap(mlir::Value tapped, Emitted value, int64_t row) override;
  Level levelOf(Index index) const override { return index.head || index.column ? positionLevel : outer; }
  mlir::Value emitSigmoid(mlir::Value x) override;
  mlir::Value emitElementwise(mlir::Operation *op, mlir::ValueRange operands) override;

  Emitted maskOutside(Emitted value, int64_t row);
  bool isSurelyBelow(mlir::Value value, Index index);
  bool mayBeBefore(int64_t row) const { return row < 0; }
  bool mayBeBehind(int64_t row) const { return row >= firstUnsure; }
  bool isUnsure(int64_t row) const { return mayBeBefore(row) || mayBeBehind(row); }
  mlir::Value insideRow(int64_t row);                          // the row, kept inside of the sequence
  mlir::Value storedRow(int64_t row);                          // the row, kept inside of the chunk
  mlir::Value stagedRow(const RowBuffer &buffer, int64_t row); // the row, kept among those of the buffer
  mlir::Value rowToLoad(const RowBuffer &buffer, int64_t row);

  CudaBuilder &cuda;
  int64_t length;
  ReadReduction read;
  llvm::DenseSet<mlir::Value> tapped; // operands of taps: zero outside of the sequence
  mlir::Value base;
  mlir::Value chunkIsLive, chunkEnd;
  int64_t sureRows = 0; // of a step, that lie in the chunk
  int64_t firstUnsure = 0;
  mlir::Value valid; // of the position
  int64_t columnEnd = 0;
  int64_t threadsOfHead = 0; // where the threads of a group have several heads at once
  Level positionLevel = outer;
};

} // namespace stretto::codegen
