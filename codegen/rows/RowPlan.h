//===- RowPlan.h - stages, demanded rows and loop nests of a fused kernel -===//
//
// What the body of a kernel asks for, before any code exists:
//   root    a value the kernel must produce: a stored result, a column sum, or the operand of a reduction
//   level   how many reductions lie below a value; a reduction is finished before its readers start
//   demand  the rows, relative to the row that is stored, at which a value is needed (a tap shifts them)
//   phase   the roots that run together: one level, one demand
//   section a part of a root that one loop nest can visit (see ElementMap.h)
//
// A plan stays as it was made: a pass makes one for each kernel and hands it on.
#pragma once

#include "codegen/rows/ElementMap.h"
#include "codegen/rows/Strips.h"
#include "ir/kern/KernInterfaces.h"
#include "ir/seq/SeqOps.h"

#include <map>

namespace stretto::codegen {

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
  mlir::Value value;        // what the loop computes
  unsigned number;          // of the result, or of the reduction
  RowRange rows;            // {0, 0} but for reductions
  bool accumulated = false; // reduce: several sections add up in the row's slot
};

struct Section {
  unsigned root;
  Domain domain;
  Index index;  // elements of the root's value
  Index target; // elements of the result, or of the reduction's result
};

/// Sections of one length, in one loop over columns.
struct ColumnLoop {
  int64_t length;
  llvm::SmallVector<Section, 1> sections;
};

struct Nest {
  int64_t heads;
  llvm::SmallVector<ColumnLoop, 0> loops;
};

struct RowPhase {
  int64_t level;
  RowRange rows;                    // computed before the first row is stored: [low, high)
  llvm::SmallVector<Nest, 1> all;   // every root
  llvm::SmallVector<Nest, 1> early; // reductions only, for the rows before the first; empty if there are none

  /// Whether its rows are ahead of the row that is stored: then they stop at the end of a sequence.
  bool runsAhead() const { return rows.high > 0; }
};

/// The level of each value that an operation of a body computes; that of arguments is 0.
llvm::DenseMap<mlir::Value, int64_t> levelsOf(mlir::Block &body);

/// Calls `visit` for each section of some phases.
void forEachSection(llvm::ArrayRef<RowPhase> phases, llvm::function_ref<void(const Section &)> visit);

/// Strips `first` and those behind it, `count` in all, that one code computes.
struct StripRange {
  const Strips *strips = nullptr;
  int64_t first = 0, count = 1;
  bool isStored = false; // by the matmul, where a result is what it computes: no root stores it, and it is read there
};

class RowPlan {
public:
  /// Of whole rows; with `range` of the columns of some strips, whose sections are those of the first of them.
  explicit RowPlan(kern::RowKernel op, StripRange range = {});
  /// Of whole rows, reductions of a row one row ahead of those that read them: a step needs no result of another stage
  /// of the same step but of the last.
  static RowPlan staggered(kern::RowKernel op);

  kern::RowKernel kernel() const { return op; }
  bool isOfStrips() const { return range.strips; }
  bool isStaggered() const { return staggers; }
  /// How many reductions are below the last one, at most.
  int64_t lastReduceLevel() const;
  /// How many strips of the range the plan holds for: fewer than it has where a later one needs other code.
  int64_t stripsAlike() const { return alike; }
  llvm::ArrayRef<Root> roots() const { return allRoots; }
  llvm::ArrayRef<RowPhase> phases() const { return allPhases; }
  llvm::ArrayRef<seq::ReduceOp> reductions() const { return allReductions; }
  unsigned numberOf(seq::ReduceOp reduce) const { return rootOfReduction.lookup(reduce); }
  const Root &rootOf(seq::ReduceOp reduce) const { return allRoots[numberOf(reduce)]; }
  seq::ReduceKind kindOf(const Root &reduce) const { return seq::ReduceOp(allReductions[reduce.number]).getKind(); }
  /// Rows at which any value is needed.
  RowRange halo() const { return wholeHalo; }
  /// Whether a value is the same for each row.
  bool isRowless(mlir::Value value) const { return !rowDependent.contains(value); }
  /// Where a value of the body stands among these, of which there are `places`: behind all that it is computed from.
  int64_t placeOf(mlir::Value value) const;
  int64_t places() const {
    return kernel().getBody().getNumArguments() + static_cast<int64_t>(placeOfOperation.size());
  }
  /// What a movement (or a column index) reads behind elements `index` of its result; source 1 of an interleaved
  /// permute are columns exchanged in pairs.
  const Fit &fitOf(mlir::Operation *op, Index index, Domain domain) const;
  /// Where elements `index` of the argument that a matmul computes are: in its strip or, stored, in their row.
  Index inMatmul(Index index, Domain domain) const { return range.isStored ? index : fitInStrip(index, domain).index; }
  /// The value that movements bring to elements `index` of `value`, and which of its elements.
  std::pair<mlir::Value, Index> behindMovements(mlir::Value value, Index index, Domain domain) const;

private:
  RowPlan(kern::RowKernel op, StripRange range, bool staggers);
  void findDemand();
  void findRoots();
  void formPhases();
  void addRoot(Root root, int64_t level);
  void place(llvm::SmallVectorImpl<Nest> &nests, const Section &section);
  using Part = std::pair<Domain, Index>;
  llvm::SmallVector<Section> divide(unsigned root);
  llvm::SmallVector<Part> partsOf(const Root &root);
  llvm::SmallVector<Part> stripParts(const Root &root, int64_t width);
  Fit fitInStrip(Index index, Domain domain) const;
  Fit fit(ElementMap map, Index index, Domain domain, int64_t period) const {
    return fitMap(map, index, domain, period, range.count);
  }
  std::optional<Split> findSplit(mlir::Value value, Index index, Domain domain);
  std::optional<Split> findSplit(const Root &root, Index index, Domain domain, Index *target);

  kern::RowKernel op;
  StripRange range;
  bool staggers;
  int64_t alike;
  llvm::DenseMap<mlir::Value, int64_t> levels;
  llvm::DenseMap<mlir::Value, RowRange> demand;
  llvm::DenseSet<mlir::Value> rowDependent;
  llvm::DenseMap<mlir::Operation *, int64_t> placeOfOperation;
  llvm::SmallVector<seq::ReduceOp> allReductions;
  llvm::DenseMap<mlir::Operation *, unsigned> rootOfReduction;
  llvm::SmallVector<Root> allRoots;
  llvm::SmallVector<int64_t> rootLevels;
  llvm::SmallVector<RowPhase, 0> allPhases;
  RowRange wholeHalo;
  using FitKey = std::tuple<mlir::Operation *, Index, int64_t, int64_t>;
  mutable std::map<FitKey, Fit> fits; // that were asked for
};

/// Whether an operation is a movement that leaves the lanes of a vector as they are.
inline bool leavesLanes(mlir::Operation *op) {
  return op && mlir::isa<seq::MovementOp>(op) && !mlir::isa<seq::PermuteOp>(op);
}

/// Whether a product is only ever added: then each addition takes it over (a fused multiply-add), and the product
/// itself is not computed. Looks at the body alone, so that every path through a kernel rounds alike.
bool isContracted(mlir::Value product);

/// The operand that a movement reads.
inline mlir::Value sourceOperand(mlir::Operation *movement, const Fit &fit) {
  return movement->getOperand(mlir::isa<seq::ConcatOp>(movement) ? fit.source : 0);
}

/// Columns that a vector must have: neighbours that change places lie in one.
int64_t leastLanes(kern::RowKernel op);

} // namespace stretto::codegen
