//===- GroupCost.h - what a kernel of given operations costs ------------------===//
#pragma once

#include "passes/fusion/GroupGraph.h"
#include "passes/support/CostModel.h"

namespace stretto::passes {

/// The code of a kernel at most, in loops times stages: each stage may compute again what an earlier one computed, and
/// compile time grows faster than the code. Those of `models/` have up to 174.
constexpr int64_t kMostCode = 2048;

struct GroupCost {
  int64_t bytes = 0;      ///< rows read and written by the kernel
  int64_t reread = 0;     ///< bytes read again: by later stages where a block does not fit the cache, and for far rows
  double extra = 0;       ///< elementwise operations on rows beside a block and far from it, computed for its taps
  int64_t operations = 0; ///< of the kernel, with its duplicated producers
  int64_t loops = 0;      ///< over columns, of each operation (`countRowLoops`)
  int64_t stages = 1;     ///< passes over the columns of a block: one more than reductions in a chain
  int64_t haloRows = 0;   ///< rows beside a block that its taps reach
  int64_t farRows = 0;    ///< rows further away than any is kept, for each row of a block
  bool sumsFar = false;   ///< whether these would be summed along

  int64_t getCode() const { return loops * stages; }
  /// Time in elementwise operations.
  double getTime(const CostModel &model) const { return (bytes + reread) * model.operationsPerByte + extra; }
};

/// The cost of a kernel made of `members`, which read and write what `graph` says.
GroupCost costOf(const GroupGraph &graph, llvm::ArrayRef<mlir::Operation *> members, const CostModel &model);

} // namespace stretto::passes
