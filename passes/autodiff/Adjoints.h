//===- Adjoints.h - the state of one backward sweep ---------------------------===//
#pragma once

#include "passes/support/RowBuilder.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace stretto::passes {

/// The adjoints of the values of one function while its operations are visited from last to first.
///
/// "Forward" values are those of the function that is differentiated; the backward is written by `b`, perhaps into
/// another function. `primal` translates: it repeats row operations, and library operations that the spec marks so, and
/// asks `given` for everything else (arguments, results of other library operations and of scans).
class Adjoints : public seq::Differentiation {
public:
  using Value = mlir::Value;

  /// `marker`: copies of forward operations go before it; `backward`: where the backward is written, behind it.
  Adjoints(mlir::Operation *marker, mlir::OpBuilder backward);

  RowBuilder b;
  mlir::ImplicitLocOpBuilder &builder() final { return b; }
  Value primal(Value forward) final;
  bool isActive(Value forward) const final { return active.contains(forward); }
  void setActive(Value forward) { active.insert(forward); }
  /// Marks the results of active operations in order; `block` is forward.
  void spreadActivity(mlir::Block &block);

  void add(Value forward, Value contribution) final;
  /// Adds to columns [offset, offset + columns of contribution) of the adjoint.
  void addSlice(Value forward, int64_t offset, Value contribution);
  /// The adjoint so far; null when nothing was added.
  Value get(Value forward);
  /// The same, with zeros for null.
  Value getOrZero(Value forward);

  /// Has the operations of a function give what their rules read (DifferentiableOp), before anything else is done.
  static void prepare(mlir::func::FuncOp function);
  /// Applies the rules to the operations of a block, last to first: their own (DifferentiableOp), or those of the
  /// table.
  mlir::LogicalResult propagate(mlir::Block &block);

protected:
  /// A forward value that must be read from memory.
  virtual Value given(Value forward) = 0;

private:
  struct Piece {
    int64_t offset;
    Value value;
  };
  mlir::LogicalResult differentiate(mlir::Operation *op, mlir::ValueRange gradients);
  bool accumulate(Value contribution, Value sum);
  Value mergePieces(Value forward, llvm::SmallVector<Piece> pieces);
  void repeat(mlir::Operation *op);

  mlir::Operation *marker;
  mlir::IRMapping copies;
  llvm::DenseSet<Value> active;
  llvm::DenseMap<Value, Value> sums;
  llvm::DenseSet<Value> isShared; // adjoints, and parts of them, which rules may hand on to several operands
  llvm::DenseMap<Value, llvm::SmallVector<Piece>> slices;
};

/// Whether an operation may be recomputed in the backward: row operations and elementwise work, not the library.
bool isRepeatable(mlir::Operation *op);
/// Whether an operation costs nothing anywhere: constants, tables, parameters.
bool isFree(mlir::Operation *op);

/// A derivative rule: from the adjoints of the results (null: none) adds to those of the operands.
using Rule = mlir::LogicalResult (*)(mlir::Operation *op, mlir::ValueRange gradients, Adjoints &adjoints);
using RuleTable = llvm::StringMap<Rule>;

void addElementwiseRules(RuleTable &table);
void addRowRules(RuleTable &table);
void addScanRules(RuleTable &table);

} // namespace stretto::passes
