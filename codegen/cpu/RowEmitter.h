//===- RowEmitter.h - the code of one value at one row and column --------------===//
//
// Demand-driven: emit(value, row, index) makes the code that computes a value where it is asked for, and remembers
// it. What does not depend on the column is computed once in front of the column loop, what does not depend on the
// head in front of the loop over heads.
#pragma once

#include "codegen/rows/RowPlan.h"
#include "codegen/rows/VectorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

namespace stretto {

/// One buffer of a kernel as its rows see it.
struct RowBuffer {
  mlir::Value pointer;  // of row 0, or of the whole where rows do not matter
  mlir::Type element;
  int64_t rowElements;  // 0: the same for each row
};

/// Where a kernel finds everything: SSA values of its function.
struct RowFrame {
  llvm::SmallVector<RowBuffer> inputs;  // rows of the current sequence
  llvm::SmallVector<RowBuffer> results; // column sums: the sums of the current chunk
  llvm::SmallVector<RowBuffer> slots;   // results of reductions, one row of scratch for each row of the sequence
  llvm::SmallVector<RowBuffer> stored;  // columns in scratch memory, by the number of the Stored
  int64_t length = 0;                   // rows of a sequence
};

/// Conditions of whole rows that code was made for as if they held: what they say, and at which row from the base.
struct AssumedRows {
  llvm::SmallSetVector<std::pair<mlir::Value, int64_t>, 16> conditions;
  int64_t ahead = 0; // rows from the base of the conditions to that of the emitter
};

/// The condition of one number for each row that `select` repeats along its columns; null where it has another one.
mlir::Value rowCondition(mlir::arith::SelectOp select);

/// Code of a block of rows that starts at `base`. `careful`: rows may lie outside of the sequence; a tap selects
/// zero there and addresses are kept inside.
class RowEmitter {
public:
  /// From now on takes conditions of whole rows to hold, and notes them.
  void assume(AssumedRows *rows) { assumed = rows; }

  RowEmitter(VectorBuilder &builder, RowPlan &plan, const RowFrame &frame, mlir::Value base, bool careful)
      : b(builder), plan(plan), frame(frame), base(base), careful(careful) {}

  /// Starts a nest; `loop` is the loop over heads, or null where there is one head only.
  void enterNest(mlir::Operation *loop, mlir::Value head);
  /// Names the loop over columns in front of which to put what does not depend on the column; null: here.
  void setColumnLoop(mlir::Operation *loop);
  /// Starts the innermost code: `lanes` columns from `column`, of which `mask` (or null) exist; `stored` is
  /// what the loop has in scratch memory.
  void enterColumns(Domain domain, int64_t lanes, mlir::Value column, mlir::Value mask,
                    llvm::ArrayRef<Stored> stored = {});

  /// The value of `row` (relative to the base): a vector, or a scalar where all columns agree.
  mlir::Value emit(mlir::Value value, int64_t row, Index index) { return get(value, row, index).value; }
  /// The factors of a product that may be contracted into an addition, if `value` is one.
  std::optional<std::pair<mlir::Value, mlir::Value>> emitFactors(mlir::Value value, int64_t row, Index index);
  /// Address of element `index` of `buffer` at a row.
  mlir::Value addressOf(const RowBuffer &buffer, int64_t row, Index index);
  /// Address of these columns of a stored value at its first row but `slot`.
  mlir::Value addressOf(const Stored &stored, int64_t slot);
  /// Where new code of the innermost level goes.
  void goToColumns() { goTo(column); }
  /// Asks the second-level cache for these columns of a row.
  void prefetch(const RowBuffer &buffer, int64_t row, Index index);
  /// Asks for what the next `count` rows behind those just emitted will load in these columns.
  void prefetchLoads(int64_t count);

private:
  enum Level { block = 0, head = 1, column = 2 };
  struct Emitted {
    mlir::Value value;
    Level level = block;
  };
  using Key = std::tuple<const void *, int64_t, int64_t, int64_t, int64_t>;
  struct Scope {
    mlir::Block *block = nullptr;
    mlir::Operation *before = nullptr;
    std::map<Key, Emitted> known;
  };
  /// Columns of an operand that were loaded, up to the last row.
  struct Loaded {
    const RowBuffer *buffer;
    Index index;
    int64_t lastRow;
  };

  Emitted get(mlir::Value value, int64_t row, Index index);
  Emitted compute(mlir::Value value, int64_t row, Index index);
  Emitted computeConstant(mlir::Operation *op);
  Emitted computeTap(seq::TapOp op, int64_t row, Index index);
  Emitted computeMovement(mlir::Operation *op, int64_t row, Index index);
  Emitted computeColumnIndex(seq::ColumnIndexOp op, Index index);
  Emitted computeElementwise(mlir::Operation *op, int64_t row, Index index);
  Emitted computeActivation(mlir::Operation *op, Emitted operand);
  Emitted computeSum(mlir::Operation *op, int64_t row, Index index);
  Emitted loadStored(const Stored &stored, int64_t row);
  Emitted load(const RowBuffer &buffer, int64_t row, Index index);
  Emitted loadOperand(const RowBuffer &buffer, int64_t row, Index index);
  Emitted splat(Emitted scalar);
  /// The highest level of `values`, all made vectors if one of them is.
  Level agree(llvm::MutableArrayRef<Emitted> values);
  /// Row `row` of a sequence, kept inside of it, and whether it had to be (null: never).
  mlir::Value rowNumber(int64_t row);
  mlir::Value isInside(int64_t row);
  Emitted pointerTo(const RowBuffer &buffer, int64_t row, Index index);

  static Level levelOf(Index index) { return index.column ? column : index.head ? head : block; }
  /// Runs `make` where values of `level` belong, once for each key.
  Emitted remember(Key key, Level level, llvm::function_ref<mlir::Value()> make);
  void goTo(Level level);

  VectorBuilder &b;
  RowPlan &plan;
  const RowFrame &frame;
  mlir::Value base;
  bool careful;
  Scope scopes[3];
  llvm::SmallVector<Loaded> loaded; // since enterColumns
  llvm::ArrayRef<Stored> stored;
  AssumedRows *assumed = nullptr;
  bool oneHead = true;
  Domain domain;
  int64_t lanes = 1;
  mlir::Value headNumber, columnNumber, mask;
};

} // namespace stretto
