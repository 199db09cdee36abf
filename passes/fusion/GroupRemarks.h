//===- GroupRemarks.h - why operations share a kernel or not ------------------===//
#pragma once

#include "passes/fusion/GroupCost.h"

namespace stretto::passes {

/// Why two groups did not merge.
struct NotFused {
  mlir::Operation *producer, *reader; ///< members that share a value, unless `isUnrelated`
  std::string reason, advice;         ///< `advice` may be empty
  bool isUnrelated = false;           ///< no value is shared: nothing would be gained
};

/// "name at file:line" or "name" for a location that is not in a file.
std::string describe(mlir::Operation *op);

/// What the source calls the operations, by line: "6 rms_norm, 9 add mul".
std::string namesOf(llvm::ArrayRef<mlir::Operation *> members);

/// One remark per group (operations fused, their lines, bytes not moved) and one per pair not fused: "NotFused", or
/// "Unrelated".
void remarkGroups(mlir::func::FuncOp function, const GroupGraph &graph, const CostModel &costs,
                  llvm::ArrayRef<NotFused> notFused);

} // namespace stretto::passes
