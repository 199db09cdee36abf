//===- KernInterfaces.h - what fused kernels have in common ---------------------===//
#pragma once

#include "ir/kern/KernAttrs.h"

#include "mlir/IR/OpDefinition.h"

namespace stretto::kern {

/// Whether a kernel that yields a value stores the sum of it over rows.
bool isColumnSum(mlir::Value yielded);

/// Chunks of rows, batch and time: none reaches over the end of a sequence.
int64_t chunksOf(std::pair<int64_t, int64_t> rows, Schedule schedule);

} // namespace stretto::kern

#include "ir/kern/KernInterfaces.h.inc"
