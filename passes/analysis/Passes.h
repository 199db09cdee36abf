//===- Passes.h - the passes of passes/analysis ---------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"

namespace stretto::passes {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/analysis/Passes.h.inc"
} // namespace stretto::passes
