//===- Passes.h - the optimizer as IR -----------------------------------------===//
#pragma once

#include "ir/Kern/KernOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace stretto {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/optimizer/Passes.h.inc"
} // namespace stretto
