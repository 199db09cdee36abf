//===- Clusters.h - what kernels say of their clusters ------------------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace stretto::codegen {

/// Blocks of a cluster, as `nvvm.cluster_dim` of a kernel says; 1 where it has no clusters.
int64_t clusterBlocksOf(mlir::Operation *kernel);

/// Reports clusters other than those that launches know: of a few blocks side by side in x, a multiple of which the
/// `gridX` blocks of the grid in x are.
mlir::LogicalResult checkClusters(mlir::LLVM::LLVMFuncOp kernel, int64_t gridX);

} // namespace stretto::codegen
