//===- Kernels.h - what is computed by a kernel, and by which -------------------===//
//
// A KernelOp is a kernel on every target. A library operation is one on a target that has a kernel for it: a pass of
// the target gives it the name of that kernel, `kern.kernel`.
#pragma once

#include "ir/kern/KernOps.h"

namespace stretto::kern {

inline constexpr llvm::StringLiteral kernelAttr = "kern.kernel";

/// Whether an operation is computed by a kernel and not by the runtime's library.
bool isKernel(mlir::Operation *op);

/// The name of the kernel that computes an operation; null for one that is no kernel, and for one without a name.
mlir::StringAttr kernelNameOf(mlir::Operation *op);
void setKernelName(mlir::Operation *op, const llvm::Twine &name);

/// Notes at an operation what its kernel takes of a GPU: the attribute `resources` of a KernelOp, `kern.resources` of
/// others.
void setResources(mlir::Operation *op, ResourcesAttr resources);

/// Removes what is noted at the operations in `root`.
void dropResources(mlir::Operation *root);

} // namespace stretto::kern
