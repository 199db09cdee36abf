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

/// On library operations that the target has a kernel for: the name of that kernel. Those of `kern` have an attribute
/// of their own.
inline constexpr llvm::StringLiteral kernelAttr = "kern.kernel";

/// The name of the kernel that computes an operation; null for one that is no kernel, and for one without a name.
mlir::StringAttr kernelNameOf(mlir::Operation *op);
void setKernelName(mlir::Operation *op, const llvm::Twine &name);

} // namespace stretto::kern
