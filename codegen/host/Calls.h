//===- Calls.h - operations as calls of C functions ---------------------------===//
#pragma once

#include "codegen/host/HostBuilder.h"

namespace stretto {

/// Numbers of kernels in the kernel table, by name.
using KernelNumbers = llvm::StringMap<int64_t>;

/// Names of the globals and functions of the host code.
constexpr llvm::StringLiteral kernelTableName = "stretto.kernels";
std::string hostFunctionName(llvm::StringRef function);

/// The struct stretto_kernel.
mlir::LLVM::LLVMStructType kernelType(mlir::MLIRContext *context);

/// Emits what `op` does when the program runs: nothing for views. Reports operations that host code cannot carry
/// out.
mlir::LogicalResult emitCall(HostBuilder &b, mlir::Operation *op, const KernelNumbers &kernels);

} // namespace stretto
