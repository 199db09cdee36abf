//===- KernOps.h - the dialect `kern`: how a model is computed ----------------===//
#pragma once

#include "ir/kern/KernInterfaces.h"
#include "ir/seq/SeqOps.h"

namespace stretto::kern {
class YieldOp;
}
#define GET_OP_CLASSES
#include "ir/kern/KernOps.h.inc"

namespace stretto::kern {

/// The rules that all fused kernels of rows share; they have so many operands besides those that they compute
/// arguments from, and so many maps.
llvm::LogicalResult verifyRowKernel(RowKernel op, unsigned operands, unsigned maps);
/// What a schedule of strips must be for a kernel of so many columns.
llvm::LogicalResult verifyStrips(mlir::Operation *op, int64_t columns, int64_t pieces, int64_t strip);

} // namespace stretto::kern
