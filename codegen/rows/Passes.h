//===- Passes.h - fused kernels, whatever they run on ----------------------------===//
#pragma once

#include "ir/Kern/KernOps.h"

#include "mlir/Pass/Pass.h"

namespace stretto {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/rows/Passes.h.inc"
} // namespace stretto
