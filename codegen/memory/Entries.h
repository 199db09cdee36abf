//===- Entries.h - the entry points of a program ------------------------------===//
#pragma once

#include "passes/support/ParameterLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto::codegen {

/// The functions that no scan calls, in the order of the module.
llvm::SmallVector<mlir::func::FuncOp> entryFunctions(mlir::ModuleOp module);

/// Bytes of the INPUTS and OUTPUTS arenas.
struct InterfaceSizes {
  int64_t inputs = 0, outputs = 0;
};

/// Gives the arguments of an entry slots in INPUTS and its results slots in OUTPUTS, one behind the other, where
/// they have none (`kern.slot` attributes).
void assignInterface(mlir::func::FuncOp entry, InterfaceSizes &sizes);

} // namespace stretto::codegen
