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

} // namespace stretto::kern
