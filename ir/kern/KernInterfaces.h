//===- KernInterfaces.h - what fused kernels have in common ---------------------===//
#pragma once

#include "ir/kern/KernAttrs.h"

#include "mlir/IR/OpDefinition.h"

namespace stretto::kern {

/// Whether a kernel that yields a value stores the sum of it over rows.
bool isColumnSum(mlir::Value yielded);

} // namespace stretto::kern

#include "ir/kern/KernInterfaces.h.inc"
