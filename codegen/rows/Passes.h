//===- Passes.h - fused kernels, whatever they run on ----------------------------===//
#pragma once

#include "ir/kern/KernOps.h"

#include "mlir/Pass/Pass.h"

namespace stretto::codegen {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/rows/Passes.h.inc"
} // namespace stretto::codegen
