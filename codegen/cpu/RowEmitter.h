//===- RowEmitter.h - elements of a block of rows on a CPU ---------------------===//
#pragma once

#include "codegen/cpu/StoredValues.h"
#include "codegen/rows/ElementEmitter.h"

#include "llvm/ADT/SetVector.h"

namespace stretto::codegen {

/// Where a kernel finds everything: SSA values of its function.
struct RowFrame {
  llvm::SmallVector<RowBuffer> inputs;  // rows of the current sequence
  llvm::SmallVector<RowBuffer> results; // column sums: the sums of the current chunk
  llvm::SmallVector<RowBuffer> slots;   // results of reductions, one row of scratch for each row of the sequence
  llvm::SmallVector<RowBuffer> stored;  // columns in scratch memory, by the number of the Stored
  int64_t length = 0;                   // rows of a sequence
  mlir::Value strip;                    // of a run of strips (StripPlans.h)
};

/// Columns of a buffer, from a row on.
struct RowColumns {
  const RowBuffer *buffer;
  Index index;
  int64_t row;
};

/// Conditions of whole rows that code was made for as if they held: what they say, and at which row from the base.
struct AssumedRows {
  llvm::SmallSetVector<std::pair<mlir::Value, int64_t>, 16> conditions;
  int64_t ahead = 0; // rows from the base of the conditions to that of the emitter
};

/// The condition of one number for each row that `select` repeats along its columns; null where it has another one.
mlir::Value rowCondition(mlir::arith::SelectOp select);

/// Code of a block of rows that starts at `base`: all rows of some columns, then the next columns. `careful`: rows may
/// lie outside of the sequence; a tap selects zero there and addresses are kept inside.
class RowEmitter final : public ElementEmitter {
public:
  RowEmitter(VectorBuilder &builder, const RowPlan &plan, const RowFrame &frame, mlir::Value base, bool careful)
      : ElementEmitter(builder, plan), frame(frame), base(base), careful(careful) {
    strip = frame.strip;
  }

  /// From now on takes conditions of whole rows to hold, and notes them.
  void assume(AssumedRows *rows) { assumed = rows; }

  /// Starts a nest; `loop` is the loop over heads, or null where there is one head only.
  void enterNest(mlir::Operation *loop, mlir::Value head);
  /// Names the loop over columns in front of which to put what does not depend on the column; null: here.
  void setColumnLoop(mlir::Operation *loop);
  /// Starts the innermost code: `lanes` columns from `column`, of which `mask` (or null) exist; `stored` is
  /// what the loop has in scratch memory.
  void enterColumns(Domain domain, int64_t lanes, mlir::Value column, mlir::Value mask,
                    llvm::ArrayRef<Stored> stored = {});

  /// Address of element `index` of `buffer` at a row.
  mlir::Value addressOf(const RowBuffer &buffer, int64_t row, Index index);
  /// Address of these columns of a stored value at its first row but `slot`.
  mlir::Value addressOf(const Stored &stored, int64_t slot);
  /// What rows behind those just emitted will load in these columns.
  llvm::ArrayRef<RowColumns> nextLoads() const { return loaded; }
  /// Asks the cache of a level (1 or 2) for columns of `rows` rows.
  void prefetch(const RowColumns &columns, int64_t rows, int level);

private:
  /// What is made once besides values.
  enum Kind : int64_t {
    rowInside = anywhere - 1,
    isRowInside = anywhere - 2,
    rowPointer = anywhere - 3,
    stripPointer = anywhere - 4,
    headPointer = anywhere - 5,
    columnPointer = anywhere - 6,
    repeated = anywhere - 7
  };
  /// Elements of a buffer lie `offset` elements behind a pointer that all rows and bases of a position share: then each
  /// address is a register and a constant, and a loop advances few pointers.
  struct Place {
    mlir::Value pointer;
    int64_t offset;
    Level level;
  };

  Emitted compute(mlir::Value value, int64_t row, Index index) override;
  Emitted loadOperand(mlir::BlockArgument argument, int64_t row, Index index) override;
  Emitted loadReduction(seq::ReduceOp reduce, int64_t row, Index index) override;
  Emitted seenByTap(mlir::Value tapped, Emitted value, int64_t row) override;
  Level levelOf(Index index) const override { return index.column ? inner : index.head ? middle : outer; }
  mlir::Value emitSigmoid(mlir::Value x) override;
  std::pair<mlir::Value, mlir::Value> emitFactors(mlir::arith::MulFOp product, int64_t row, Index index) override;
  mlir::Value splat(Emitted scalar, Level level) override;

  Emitted loadStored(const Stored &stored, int64_t row);
  Emitted load(const RowBuffer &buffer, int64_t row, Index index);
  /// Row `row` of a sequence, kept inside of it, and whether it lies there by itself.
  mlir::Value rowNumber(int64_t row);
  mlir::Value isInside(int64_t row);
  Place placeOf(const RowBuffer &buffer, int64_t row, Index index);

  const RowFrame &frame;
  mlir::Value base;
  bool careful;
  llvm::SmallVector<RowColumns> loaded; // since enterColumns, with the row behind the last one
  llvm::ArrayRef<Stored> stored;
  AssumedRows *assumed = nullptr;
  bool oneHead = true;
  mlir::Value mask;
};

} // namespace stretto::codegen
