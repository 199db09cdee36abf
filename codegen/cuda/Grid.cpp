//===- Grid.cpp - what kernels say of the blocks of a launch -------------------------===//
#include "codegen/cuda/Grid.h"

#include "ir/kern/KernOps.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static ArrayRef<int32_t> clusterDimsOf(Operation *kernel) {
  auto dims = kernel->getAttrOfType<DenseI32ArrayAttr>(NVVM::NVVMDialect::getClusterDimAttrName());
  return dims ? dims.asArrayRef() : ArrayRef<int32_t>();
}

int64_t stretto::codegen::clusterBlocksOf(Operation *kernel) {
  int64_t blocks = 1;
  for (int32_t dim : clusterDimsOf(kernel))
    blocks *= dim;
  return blocks;
}

static LogicalResult checkClusters(LLVM::LLVMFuncOp kernel, int64_t gridX) {
  constexpr int64_t most = kern::DeviceKernelOp::mostOfCluster;
  ArrayRef<int32_t> dims = clusterDimsOf(kernel);
  int64_t blocks = clusterBlocksOf(kernel);
  if (!dims.empty() && dims[0] != blocks)
    return kernel.emitOpError("must have clusters along x alone, but has those of ") << dims;
  if (blocks < 1 || blocks > most)
    return kernel.emitOpError("must have clusters of 1 to ") << most << " blocks, but got " << blocks;
  if (gridX % blocks)
    return kernel.emitOpError("kern.grid must have a multiple of the ")
           << blocks << " blocks of a cluster along x, but got " << gridX;
  return success();
}

LogicalResult stretto::codegen::checkGrid(LLVM::LLVMFuncOp kernel, ArrayRef<int64_t> grid) {
  auto isPossible = [](int64_t blocks, int64_t most) { return blocks >= 1 && blocks <= most; };
  if (!isPossible(grid[0], mostGridX) || !isPossible(grid[1], mostGridY))
    return kernel.emitOpError() << "'" << kernel.getName() << "' must have 1 to " << mostGridX
                                << " blocks along x and 1 to " << mostGridY << " along y, but got " << grid;
  return checkClusters(kernel, grid[0]);
}
