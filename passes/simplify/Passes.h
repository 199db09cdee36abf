//===- Passes.h - rewrites of matmuls and carried values ---------------------===//
#pragma once

#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace stretto::passes {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/simplify/Passes.h.inc"
} // namespace stretto::passes
