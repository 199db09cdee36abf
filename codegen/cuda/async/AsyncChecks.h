//===- AsyncChecks.h - rules of matmuls and copies that run beside the threads ------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace stretto::codegen {

/// Reports uses of accumulators of asynchronous matmuls that these do not allow.
mlir::LogicalResult checkAccumulators(mlir::LLVM::LLVMFuncOp function);

/// Reports matmuls of warpgroups and bulk tensor copies that may not see what threads have stored before them.
mlir::LogicalResult checkProxyFences(mlir::LLVM::LLVMFuncOp function);

/// The values that branches pass to an argument of a block; none for those of a function.
mlir::SmallVector<mlir::Value> incomingValues(mlir::BlockArgument argument);

} // namespace stretto::codegen
