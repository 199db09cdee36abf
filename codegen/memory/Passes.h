//===- Passes.h - planning memory ---------------------------------------------===//
#pragma once

#include "ir/kern/KernOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace stretto::codegen {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/memory/Passes.h.inc"
} // namespace stretto::codegen
