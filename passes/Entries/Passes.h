//===- Passes.h - entry points of a program, made from the model --------------===//
#pragma once

#include "ir/Seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace stretto {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Entries/Passes.h.inc"
} // namespace stretto
