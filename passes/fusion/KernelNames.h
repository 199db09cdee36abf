//===- KernelNames.h - what kernels of rows are called --------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto::passes {

/// The name of the kernel of group `number` of a function.
inline std::string kernelName(mlir::func::FuncOp function, int64_t number) {
  return (function.getName() + ".rowwise" + llvm::Twine(number)).str();
}

} // namespace stretto::passes
