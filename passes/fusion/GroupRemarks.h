//===- GroupRemarks.h - why operations share a kernel or not ------------------===//
#pragma once

#include "passes/fusion/GroupCost.h"
#include "passes/support/Describe.h"

namespace stretto::passes {

/// Why two groups did not merge.
struct NotFused {
  mlir::Operation *producer, *reader; ///< members that share a value, unless `isUnrelated`
  std::string reason, advice;         ///< `advice` may be empty
  bool isUnrelated = false;           ///< no value is shared: nothing would be gained
};

/// One remark per group, whose number its members have (operations fused, their lines, bytes not moved, what the source
/// calls all that lies in the kernel, and whether that is of the backward), and one per pair not fused: "NotFused", or
/// "Unrelated".
void remarkGroups(mlir::func::FuncOp function, const GroupGraph &graph, const CostModel &costs,
                  const LibraryCalls &calls, llvm::ArrayRef<NotFused> notFused);

} // namespace stretto::passes
