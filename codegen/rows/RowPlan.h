//===- RowPlan.h - stages, demanded rows and loop nests of a fused kernel -===//
//
// What the body of a kern.rowwise asks for, before any code exists:
//   root    a value the kernel must produce: a stored result, a column sum, or the operand of a reduction
//   level   how many reductions lie below a value; a reduction is finished before its readers start
//   demand  the rows, relative to the row that is stored, at which a value is needed (a tap shifts them)
//   phase   the roots that run together: one level, one demand
//   piece   a part of a root that one loop nest can visit (see ElementMap.h)
//   carried a value that a loop needs at several rows and computes at the last of them only: the others were
//           computed with the block of rows before and wait in scratch memory
//   kept    a value that a loop puts into scratch memory for a loop of a later level that visits the same elements
#pragma once

#include "codegen/rows/ElementMap.h"
#include "ir/Kern/KernOps.h"

#include <map>

namespace stretto {

/// Rows t + low ... t + high, where t is the row that is stored.
struct RowRange {
  int64_t low = 0, high = 0;
  bool operator==(const RowRange &) const = default;
  void include(RowRange other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

struct Root {
  enum Kind { store, columnSum, reduce } kind;
  mlir::Value value;         // what the loop computes
  unsigned number;           // of the result, or of the reduction
  RowRange rows;             // {0, 0} but for reductions
  bool accumulated = false;  // reduce: several pieces add up in the row's slot
};

struct Piece {
  unsigned root;
  Domain domain;
  Index index;   // elements of the root's value
  Index target;  // elements of the result, or of the reduction's result
};

/// What a loop has in scratch memory.
struct Stored {
  enum Kind { carried, kept, found } kind; // found: kept by an earlier loop
  mlir::Value value;
  Index index;
  RowRange rows;   // carried: computed at `rows.high`, stored for the rows before it
  unsigned number; // of the memory

  /// Whether `row` of a block is there when the loop starts.
  bool holds(int64_t row) const { return kind == found || (kind == carried && row < rows.high); }
};

/// Pieces of one length, in one loop over columns.
struct ColumnLoop {
  int64_t length;
  llvm::SmallVector<Piece, 1> pieces;
  llvm::SmallVector<Stored, 0> stored;
};

struct Nest {
  int64_t heads;
  llvm::SmallVector<ColumnLoop, 0> loops;
};

struct RowPhase {
  int64_t level;
  RowRange rows;                // computed before the first row is stored: [low, high)
  llvm::SmallVector<Nest, 1> all; // every root
  llvm::SmallVector<Nest, 1> early; // reductions only, for the rows before the first; empty if there are none
};

class RowPlan {
public:
  explicit RowPlan(kern::RowwiseOp op);

  llvm::ArrayRef<Root> roots() const { return allRoots; }
  llvm::ArrayRef<RowPhase> phases() const { return allPhases; }
  llvm::ArrayRef<seq::ReduceOp> reductions() const { return allReductions; }
  const Root &rootOf(seq::ReduceOp reduce) const { return allRoots[rootOfReduction.lookup(reduce)]; }
  /// Rows at which any value is needed.
  RowRange halo() const { return wholeHalo; }
  /// Whether a value is the same for each row.
  bool isRowless(mlir::Value value) const { return !rowDependent.contains(value); }
  /// What a movement (or a column index) reads behind elements `index` of its result; source 1 of an interleaved
  /// permute are columns exchanged in pairs.
  const Fit &fitOf(mlir::Operation *op, Index index, Domain domain);
  /// The value that movements bring to elements `index` of `value`, and which of its elements.
  std::pair<mlir::Value, Index> behindMovements(mlir::Value value, Index index, Domain domain);
  llvm::MutableArrayRef<RowPhase> phases() { return allPhases; }
  /// Whether the loops of a phase may carry and keep: not if rows run ahead, as they stop at the end of a sequence.
  static bool mayCarry(const RowPhase &phase) { return phase.rows.high == 0; }
  /// Mark the values of a body that are to be carried or kept.
  static constexpr llvm::StringLiteral carriedAttribute = "kern.carried", keptAttribute = "kern.kept";

private:
  void findDemand();
  void findRoots();
  void formPhases();
  void findStored();
  void addRoot(Root root, int64_t level);
  void place(llvm::SmallVectorImpl<Nest> &nests, const Piece &piece);
  llvm::SmallVector<Piece> divide(unsigned root);
  std::optional<Split> findSplit(mlir::Value value, Index index, Domain domain);
  std::optional<Split> findSplit(const Root &root, Index index, Domain domain, Index *target);

  kern::RowwiseOp op;
  llvm::DenseMap<mlir::Value, int64_t> levels;
  llvm::DenseMap<mlir::Value, RowRange> demand;
  llvm::DenseSet<mlir::Value> rowDependent;
  llvm::SmallVector<seq::ReduceOp> allReductions;
  llvm::DenseMap<mlir::Operation *, unsigned> rootOfReduction;
  llvm::SmallVector<Root> allRoots;
  llvm::SmallVector<int64_t> rootLevels;
  llvm::SmallVector<RowPhase, 0> allPhases;
  RowRange wholeHalo;
  using FitKey = std::tuple<mlir::Operation *, int64_t, int64_t, int64_t, int64_t, int64_t>;
  std::map<FitKey, Fit> fits;
};

/// Whether a product is only ever added: then each addition takes it over (a fused multiply-add), and the product
/// itself is not computed. Looks at the body alone, so that every path through a kernel rounds alike.
bool isContracted(mlir::Value product);

/// The operand that a movement reads.
inline mlir::Value sourceOperand(mlir::Operation *movement, const Fit &fit) {
  return movement->getOperand(mlir::isa<seq::ConcatOp>(movement) ? fit.source : 0);
}

} // namespace stretto
