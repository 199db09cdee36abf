//===- Passes.h - entry points of a program, made from the model --------------===//
#pragma once

#include "ir/kern/KernOps.h"
#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace stretto::passes {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/entries/Passes.h.inc"
} // namespace stretto::passes
