//===- Grid.h - what kernels say of the blocks of a launch --------------------------===//
#pragma once

#include "ir/kern/KernOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace stretto::codegen {

/// Blocks of a cluster, as `nvvm.cluster_dim` of a kernel says; 1 where it has no clusters.
int64_t clusterBlocksOf(mlir::Operation *kernel);

/// Blocks of a launch along x and y at most.
inline constexpr int64_t mostGridX = kern::DeviceKernelOp::mostGridX, mostGridY = kern::DeviceKernelOp::mostGridY;

/// Reports a grid, of blocks in x and y, that no launch can have, and clusters other than those that launches know: of
/// a few blocks side by side in x, of which the grid has a multiple there.
mlir::LogicalResult checkGrid(mlir::LLVM::LLVMFuncOp kernel, llvm::ArrayRef<int64_t> grid);

} // namespace stretto::codegen
