//===- RoundedForms.h - values of f32 in bf16 ---------------------------------===//
#pragma once

#include "passes/precision/Passes.h"

namespace stretto::passes {

/// Makes the bf16 forms of values that are held in f32, each once: of parameters the bf16 copy, through the slices
/// and invariants of scans and through views; of constants a constant; of anything else a kernel rounds it.
class RoundedForms {
public:
  explicit RoundedForms(mlir::ModuleOp module);

  mlir::Value get(mlir::Value value);
  /// Removes the slices and invariants that are read in bf16 alone now.
  void dropUnread();

private:
  mlir::Value make(mlir::Value value);
  mlir::Value pass(mlir::BlockArgument argument, seq::ScanOp scan);
  mlir::Value roundByKernel(mlir::Value value);

  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Operation *, seq::ScanOp> callers; // by body
  llvm::DenseMap<mlir::Value, mlir::Value> known;
  llvm::SmallVector<mlir::BlockArgument> doubled; // arguments that have a form beside them
  int64_t kernels = 0;
};

} // namespace stretto::passes
