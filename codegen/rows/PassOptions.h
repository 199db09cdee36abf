//===- PassOptions.h - numbers that passes are given --------------------------===//
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

namespace stretto::codegen {

/// Reports the first option, by its name, that is smaller than `least`.
inline mlir::LogicalResult requireAtLeast(int64_t least, llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> options,
                                          mlir::MLIRContext *context) {
  for (auto [name, value] : options)
    if (value < least)
      return mlir::emitError(mlir::UnknownLoc::get(context))
             << name << " must be at least " << least << ", but got " << value;
  return mlir::success();
}

/// Reports the first option, by its name, that is larger than `most`.
inline mlir::LogicalResult requireAtMost(int64_t most, llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> options,
                                         mlir::MLIRContext *context) {
  for (auto [name, value] : options)
    if (value > most)
      return mlir::emitError(mlir::UnknownLoc::get(context))
             << name << " must be at most " << most << ", but got " << value;
  return mlir::success();
}

} // namespace stretto::codegen
