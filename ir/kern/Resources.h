//===- Resources.h - what kernels take of a GPU, noted in the IR ---------------===//
#pragma once

#include "ir/kern/KernOps.h"

namespace stretto::kern {

/// Notes at an operation what its kernel takes: the attribute `resources` of kernels, `kern.resources` of others.
void setResources(mlir::Operation *op, ResourcesAttr resources);

/// Removes what is noted at the operations in `root`.
void dropResources(mlir::Operation *root);

} // namespace stretto::kern
