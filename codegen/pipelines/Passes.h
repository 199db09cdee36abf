//===- Passes.h - checks between the phases -----------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace stretto::codegen {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/pipelines/Passes.h.inc"
} // namespace stretto::codegen
