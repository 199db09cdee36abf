//===- Clusters.h - what kernels say of their clusters ------------------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace stretto::codegen {

/// As many blocks a cluster may have on any GPU that knows clusters.
inline constexpr int64_t mostOfCluster = 8;

/// Blocks of a cluster in x, y and z, as far as a kernel says; empty where it has no clusters.
inline llvm::ArrayRef<int32_t> clusterDimsOf(mlir::Operation *kernel) {
  auto dims = kernel->getAttrOfType<mlir::DenseI32ArrayAttr>(mlir::NVVM::NVVMDialect::getClusterDimAttrName());
  return dims ? dims.asArrayRef() : llvm::ArrayRef<int32_t>();
}

/// All blocks of a cluster; 1 where a kernel has no clusters.
inline int64_t clusterBlocksOf(mlir::Operation *kernel) {
  int64_t blocks = 1;
  for (int32_t dim : clusterDimsOf(kernel))
    blocks *= dim;
  return blocks;
}

} // namespace stretto::codegen
