//===- Passes.h - host code ---------------------------------------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace stretto::codegen {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/host/Passes.h.inc"

/// Makes host code of a module that was continued from a stage of this text (none: from no stage), which only the table
/// of the program has: no stage that is printed on the way holds the text of the one before.
std::unique_ptr<mlir::Pass> createEmitHost(llvm::StringRef stage);
} // namespace stretto::codegen
