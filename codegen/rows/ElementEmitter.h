//===- ElementEmitter.h - the code of one value at one row and column -----------===//
//
// Demand-driven: emit(value, row, index) makes the code that computes a value where it is asked for, and remembers it.
// What is computed from what is the same for all targets. A target derives from ElementEmitter and says the rest: how
// operands and reductions are loaded, what a tap sees outside of the sequence, which functions it computes in its own
// way, and where code goes.
//   row       counts from a base that the target keeps
//   position  the columns that code is for: `lanes` of them from `column` on, in head `head` of a loop nest (`domain`)
//   level     how far inside code stands. A value is computed in front of all loops that it does not depend on
//
//             level     CPU (RowEmitter)       CUDA (ThreadEmitter)
//             outer     a block of rows        in front of the loop over rows
//             middle    one of its heads       a step of that loop
//             inner     a position             a position, where a loop visits several
#pragma once

#include "codegen/rows/RowPlan.h"
#include "codegen/rows/VectorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace stretto::codegen {

/// One buffer of a kernel as its rows see it.
struct RowBuffer {
  mlir::Value pointer; // of row 0 of the sequence, or of the whole where rows do not matter
  mlir::Type element;
  int64_t rowElements;           // 0: the same for each row
  bool mayBeOverwritten = false; // by a result: then each element is read by none but who stores there (Overwrite.h)
  mlir::Value end = {};          // of a strip that a matmul has computed: the row behind those that are there
};

class ElementEmitter {
public:
  /// The value at `row`: a vector, or a scalar where all columns agree.
  mlir::Value emit(mlir::Value value, int64_t row, Index index) { return get(value, row, index).value; }
  /// sum + value by the kind of a reduction or a column sum; takes over a contracted product.
  mlir::Value accumulate(seq::ReduceKind kind, mlir::Value sum, mlir::Value value, int64_t row, Index index);
  /// Where code of the current position goes.
  void goToPosition() { goTo(inner); }

protected:
  enum Level { outer = 0, middle = 1, inner = 2 };
  struct Emitted {
    mlir::Value value;
    Level level = outer;
  };
  /// What is made once: a value of the body, whose kind is the number of the position or `anywhere`; or what a target
  /// makes besides, of a kind of its own below these.
  using Key = std::tuple<const void *, int64_t, Index, int64_t>; // of what, row, index, kind
  static constexpr int64_t anywhere = -1;

  ElementEmitter(VectorBuilder &builder, const RowPlan &plan) : b(builder), plan(plan) {}
  ~ElementEmitter() = default;

  /// An operand, or the result of a reduction, at these elements of a row.
  virtual Emitted loadOperand(mlir::BlockArgument argument, int64_t row, Index index) = 0;
  virtual Emitted loadReduction(seq::ReduceOp reduce, int64_t row, Index index) = 0;
  /// What a tap sees of `value`, which is `tapped` at a row that may lie outside of the sequence.
  virtual Emitted seenByTap(mlir::Value tapped, Emitted value, int64_t row) = 0;
  /// The level of what depends on the position as `index` does, and on nothing else.
  virtual Level levelOf(Index index) const = 0;
  virtual mlir::Value emitSigmoid(mlir::Value x) = 0;

  // What most targets do alike.
  virtual Emitted compute(mlir::Value value, int64_t row, Index index);
  /// An elementwise operation; the operands are all scalars or all vectors.
  virtual mlir::Value emitElementwise(mlir::Operation *op, mlir::ValueRange operands);
  /// The factors of a product. Which comes first decides the order of their loads.
  virtual std::pair<mlir::Value, mlir::Value> emitFactors(mlir::arith::MulFOp product, int64_t row, Index index);
  /// A vector of what may be a scalar, for code at `level`.
  virtual mlir::Value splat(Emitted scalar, Level level);
  /// Element `index` of the current position, counted from the start of a row.
  virtual mlir::Value elementOf(Index index);

  Emitted get(mlir::Value value, int64_t row, Index index);
  /// The arithmetic of elementOf.
  mlir::Value countElements(Index index);
  Key keyOf(mlir::Value value, int64_t row, Index index) const;
  const Emitted *find(const Key &key) const;
  /// Runs `make` where code of `level` goes, once for each key.
  Emitted once(Key key, Level level, llvm::function_ref<mlir::Value()> make);
  void goTo(Level level);

  /// Where code of a level goes: in front of an operation or, without one, to the end of the block; and what is there.
  struct Scope {
    mlir::Block *block = nullptr;
    mlir::Operation *before = nullptr;
    std::map<Key, Emitted> known;
  };

  VectorBuilder &b;
  const RowPlan &plan;
  Scope scopes[3];
  Domain domain;
  int64_t lanes = 1;
  mlir::Value head, column;
  mlir::Value strip;    // of those that the code is for, where there are several
  int64_t position = 0; // its number, where several are known at once

private:
  Emitted computeTap(seq::TapOp op, int64_t row, Index index);
  Emitted computeMovement(mlir::Operation *op, int64_t row, Index index);
  Emitted computeColumnIndex(seq::ColumnIndexOp op, Index index);
  Emitted computeDropout(seq::DropoutOp op, int64_t row, Index index);
  Emitted computeElementwise(mlir::Operation *op, int64_t row, Index index);
  Emitted computeSum(mlir::Operation *op, int64_t row, Index index);
  /// Makes all values vectors if one of them is, and goes to the level where all are known.
  Level agree(llvm::MutableArrayRef<Emitted> values);
};

} // namespace stretto::codegen
