//===- Entries.h - the entry points of a program ------------------------------===//
#pragma once

#include "codegen/memory/ParameterLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto {

/// The functions that no scan calls, in the order of the module.
llvm::SmallVector<mlir::func::FuncOp> entryFunctions(mlir::ModuleOp module);

/// Bytes of the INPUTS and OUTPUTS arenas.
struct InterfaceSizes {
  int64_t inputs = 0, outputs = 0;
};

/// Byte offsets in the OUTPUTS arena; see stretto_output in the ABI.
constexpr int64_t lossOffset = 0, gradNormOffset = placeAlignment, gradSquaresOffset = 2 * placeAlignment,
                  evaluationOffset = 3 * placeAlignment;

/// Gives the arguments of an entry places in INPUTS and its results places in OUTPUTS, one behind the other, where
/// they have none (`kern.slot` attributes).
void placeInterface(mlir::func::FuncOp entry, InterfaceSizes &sizes);

} // namespace stretto
