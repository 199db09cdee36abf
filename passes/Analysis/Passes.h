//===- Passes.h - the passes of passes/Analysis ---------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"

namespace stretto {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Analysis/Passes.h.inc"
} // namespace stretto
