//===- Passes.h - layers become rows and elementwise work ---------------------===//
#pragma once

#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace stretto::passes {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/layers/Passes.h.inc"
} // namespace stretto::passes
