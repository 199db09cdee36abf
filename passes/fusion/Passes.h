//===- Passes.h - row operations become kernels -------------------------------===//
#pragma once

#include "ir/kern/KernOps.h"
#include "passes/support/CostModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace stretto::passes {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/fusion/Passes.h.inc"
} // namespace stretto::passes
