//===- Calls.h - operations as calls of C functions ---------------------------===//
#pragma once

#include "codegen/host/HostBuilder.h"
#include "codegen/host/Sites.h"

namespace stretto {

/// Numbers of kernels in the kernel table, by name.
using KernelNumbers = llvm::StringMap<int64_t>;

/// Names of the globals and functions of the host code.
constexpr llvm::StringLiteral kernelTableName = "stretto.kernels", siteTableName = "stretto.sites";
std::string hostFunctionName(llvm::StringRef function);

/// The structs stretto_kernel and stretto_site.
mlir::LLVM::LLVMStructType kernelType(mlir::MLIRContext *context);
mlir::LLVM::LLVMStructType siteType(mlir::MLIRContext *context);

/// Emits what `op` does when the program runs: nothing for views. Each call is announced by its number in `sites`,
/// where its description is added. Reports operations that host code cannot carry out.
mlir::LogicalResult emitCall(HostBuilder &b, mlir::Operation *op, const KernelNumbers &kernels,
                             std::vector<Site> &sites);

} // namespace stretto
