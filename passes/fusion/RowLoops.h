//===- RowLoops.h - loops over columns that operations of a row take ----------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace stretto::passes {

/// Loops over columns that the code of `ops` has, if they are one kernel, counted for each operation; as many as there
/// are operations where all heads have the same size. A loop has columns of one head of every size, so that heads of 64
/// and of 16 columns are four loops, of 24 and of 16 columns four, of all three sixteen. It runs over what an operation
/// is computed from and what is computed from it, up to a sum along the row: the number that is read there is a loop
/// of its own. Activations are `[batch, time, columns]` or `[batch, time, heads, columns]`; `ops` are in program order.
int64_t countRowLoops(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace stretto::passes
