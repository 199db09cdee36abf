//===- Calls.h - operations as calls of C functions ---------------------------===//
#pragma once

#include "codegen/host/HostBuilder.h"
#include "codegen/host/Sites.h"

namespace stretto::codegen {

/// Numbers of kernels in the kernel table, by name.
using KernelNumbers = llvm::StringMap<int64_t>;

/// Names of the globals and functions of the host code. The tables are arrays of stretto_kernel and stretto_site.
constexpr llvm::StringLiteral kernelTableName = "stretto.kernels", siteTableName = "stretto.sites";
std::string hostFunctionName(llvm::StringRef function);

/// Emits what `op` does when the program runs: nothing for views. Each call is announced by its number in `sites`,
/// where its description is added. Reports operations that host code cannot carry out.
mlir::LogicalResult emitCall(HostBuilder &b, mlir::Operation *op, const KernelNumbers &kernels,
                             std::vector<Site> &sites);

} // namespace stretto::codegen
