//===- RowPlan.h - stages, demanded rows and loop nests of a fused kernel ------===//
//
// What the body of a kern.rowwise asks for, before any code exists:
//   root    a value the kernel must produce: a stored result, a column sum, or the operand of a reduction
//   level   how many reductions lie below a value; a reduction is finished before its readers start
//   demand  the rows, relative to the row that is stored, at which a value is needed (a tap shifts them)
//   phase   the roots that run together: one level, one demand
//   piece   a part of a root that one loop nest can visit (see ElementMap.h)
//   carried a value that a loop needs at several rows and computes at the last of them only: the others were
//           computed with the block of rows before and wait in scratch memory
#pragma once

#include "codegen/cpu/ElementMap.h"
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

struct Carried {
  mlir::Value value;
  Index index;
  RowRange rows;   // computed at `rows.high`, kept for the rows before it
  unsigned number; // among all of the kernel
};

/// Pieces of one length, in one loop over columns.
struct ColumnLoop {
  int64_t length;
  llvm::SmallVector<Piece, 1> pieces;
  llvm::SmallVector<Carried, 0> carried;
};

struct Nest {
  int64_t heads;
  llvm::SmallVector<ColumnLoop, 0> loops;
};

struct Phase {
  int64_t level;
  RowRange rows;                // computed before the first row is stored: [low, high)
  llvm::SmallVector<Nest, 1> all; // every root
  llvm::SmallVector<Nest, 1> early; // reductions only, for the rows before the first; empty if there are none
};

class RowPlan {
public:
  explicit RowPlan(kern::RowwiseOp op);

  llvm::ArrayRef<Root> roots() const { return allRoots; }
  llvm::ArrayRef<Phase> phases() const { return allPhases; }
  llvm::ArrayRef<seq::ReduceOp> reductions() const { return allReductions; }
  const Root &rootOf(seq::ReduceOp reduce) const { return allRoots[rootOfReduction.lookup(reduce)]; }
  /// Rows at which any value is needed.
  RowRange halo() const { return wholeHalo; }
  /// Whether a value is the same for each row.
  bool isRowless(mlir::Value value) const { return !rowDependent.contains(value); }
  /// What a movement (or a column index) reads behind elements `index` of its result; source 1 of an interleaved
  /// permute are columns exchanged in pairs.
  const Fit &fitOf(mlir::Operation *op, Index index, Domain domain);
  /// Whether the loops of a phase may carry values: not if rows run ahead, as they stop at the end of a sequence.
  static bool mayCarry(const Phase &phase) { return phase.rows.high == 0; }
  /// Marks the values of a body that are to be carried.
  static constexpr llvm::StringLiteral carriedAttribute = "kern.carried";

private:
  void findDemand();
  void findRoots();
  void formPhases();
  void findCarried();
  void addRoot(Root root, int64_t level);
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
  llvm::SmallVector<Phase, 0> allPhases;
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
