//===- Passes.h - planning memory ---------------------------------------------===//
#pragma once

#include "ir/Kern/KernOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace stretto {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/memory/Passes.h.inc"
} // namespace stretto
