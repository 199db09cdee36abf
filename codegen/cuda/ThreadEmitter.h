//===- ThreadEmitter.h - the code of one value at one row and column ------------===//
//
// Demand-driven, as codegen/cpu/RowEmitter.h: get(value, row, index) makes the code that computes a value where it is
// asked for, and remembers it. A thread keeps its columns from the first row to the last, so that all that does not depend on
// the row is computed in front of the loop over rows, and rows that taps look at stay in registers from step to step.
#pragma once

#include "codegen/cuda/ThreadLayout.h"
#include "codegen/rows/RowPlan.h"

namespace stretto {

/// One buffer of a kernel as its rows see it.
struct DeviceBuffer {
  mlir::Value pointer;  // of row 0 of the sequence, or of the whole where rows do not matter
  mlir::Type element;
  int64_t rowElements;  // 0: the same for each row
  bool mayChange = false; // a result may take over its memory: a thread reads only what it stores (rows/Overwrite.h)
};

/// What the results of reductions are read from: `read(reduce, row, element)`, the element as an index.
using ReadReduction = std::function<mlir::Value(seq::ReduceOp, int64_t row, mlir::Value element)>;

class ThreadEmitter {
public:
  /// Values computed by a thread at a position; all rows of a sequence are below `length`.
  ThreadEmitter(CudaBuilder &b, RowPlan &plan, kern::RowwiseOp op, int64_t length, ReadReduction read);

  /// What the code around says: operands by number.
  llvm::SmallVector<DeviceBuffer> inputs;

  /// What the thread stores lies in a chunk that exists where `live` holds (null: each does), in rows before `end` (null: in
  /// all rows of its steps).
  void enterChunk(mlir::Value live, mlir::Value end);
  /// Rows count from `base` from now on. `loop`: the loop over rows the code stands in, or null in front of it. Rows from
  /// `firstUnsure` on may lie behind the end of the sequence, those below zero in front of it.
  void enterRows(mlir::Value base, mlir::Operation *loop, int64_t firstUnsure);
  /// Where the thread stands from now on. `number` tells positions apart; `loop`: a loop over slots, or null.
  void enterPosition(const ThreadLayout &layout, const Position &position, int64_t number, mlir::Operation *loop);

  /// The thread stands nowhere: code goes behind what there is.
  void leavePosition();

  /// The value at `row`: a vector, or a scalar where all columns agree.
  mlir::Value get(mlir::Value value, int64_t row, Index index) { return emit(value, row, index).value; }
  /// sum + value by the kind of a reduction or a column sum; takes over a contracted product.
  mlir::Value accumulate(seq::ReduceKind kind, mlir::Value sum, mlir::Value value, int64_t row, Index index);
  /// Says that a value is known at a row of the current position.
  void remember(mlir::Value value, int64_t row, Index index, mlir::Value known);
  /// Element `index` at the current position, from the start of a row.
  mlir::Value elementOf(Index index);
  /// Number of a row of the sequence; not kept inside of it.
  mlir::Value rowNumber(int64_t row);
  int64_t lanes() const { return layout->lanes; }
  /// Bytes that divide the address of `index` in rows of a buffer.
  int64_t alignmentOf(const DeviceBuffer &buffer, Index index) const;
  /// Where code of the current position goes.
  void goToPosition() { goTo(position); }

private:
  /// Where code goes: in front of the loop over rows, in front of a loop over slots, here.
  enum Level { front = 0, step = 1, position = 2 };
  struct Emitted {
    mlir::Value value;
    Level level = front;
  };
  using Key = std::tuple<const void *, int64_t, int64_t, int64_t, int64_t, int64_t>;
  struct Scope {
    mlir::Block *block = nullptr;
    mlir::Operation *before = nullptr;
    std::map<Key, Emitted> known;
  };

  Emitted emit(mlir::Value value, int64_t row, Index index);
  Emitted compute(mlir::Value value, int64_t row, Index index);
  Emitted computeMovement(mlir::Operation *op, int64_t row, Index index);
  Emitted computeColumnIndex(seq::ColumnIndexOp op, Index index);
  Emitted computeElementwise(mlir::Operation *op, int64_t row, Index index);
  Emitted computeSum(mlir::Operation *op, int64_t row, Index index);
  Emitted loadOperand(mlir::BlockArgument argument, int64_t row, Index index);
  Emitted loadReduction(seq::ReduceOp op, int64_t row, Index index);
  Emitted maskOutside(Emitted value, int64_t row);
  Level agree(llvm::MutableArrayRef<Emitted> values);

  bool mayBeBefore(int64_t row) const { return row < 0; }
  bool mayBeBehind(int64_t row) const { return row >= firstUnsure; }
  mlir::Value insideRow(int64_t row); // the row, kept inside of the sequence
  mlir::Value storedRow(int64_t row); // the row, kept inside of the chunk
  mlir::Value once(Key key, Level level, llvm::function_ref<mlir::Value()> make);
  Key keyOf(mlir::Value value, int64_t row, Index index) const;
  Level levelOf(Index index) const { return index.head || index.column ? positionLevel : front; }
  void goTo(Level level);

  CudaBuilder &b;
  RowPlan &plan;
  kern::RowwiseOp op;
  int64_t length;
  ReadReduction read;
  llvm::DenseSet<mlir::Value> tapped; // operands of taps: zero outside of the sequence
  Scope scopes[3];
  mlir::Value base;
  mlir::Value chunkIsLive, chunkEnd;
  int64_t firstUnsure = 0;
  const ThreadLayout *layout = nullptr;
  Position here;
  int64_t positionNumber = 0;
  Level positionLevel = front;
};

} // namespace stretto
