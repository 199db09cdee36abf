//===- Parameters.h - parameters by the names a user knows --------------------===//
#pragma once

#include "passes/support/ParameterLayout.h"

namespace stretto::codegen {

/// One named parameter of one layer: a line of the program's parameter table.
struct ParameterEntry {
  std::string name;
  int64_t offset; // in elements from the start of the arena
  llvm::SmallVector<int64_t, 4> shape;
  bool trainable;
  int32_t init; // stretto_init_kind
  double a, b;
  double lrFactor, weightDecayFactor;
  std::string location; // "file:line:column", or empty
};

/// Reports a parameter that has a weight of the name of another: files have weights by their names.
mlir::LogicalResult checkWeightNames(mlir::ModuleOp module);

/// All parameters of a module in the order in which they lie in memory.
llvm::SmallVector<ParameterEntry> listParameters(mlir::ModuleOp module);

/// 32 hex digits over everything that says which model this is: the spec, the values of the model's parameters (not
/// their origin), names, shapes and initial distributions of its weights, and the text of a stage that was continued.
/// Batch, length, target and types are left out, as weights of one serve any other.
std::string hashParameters(mlir::ModuleOp module, llvm::ArrayRef<ParameterEntry> parameters);

} // namespace stretto::codegen
