//===- WalkKernel.h - the function of a kern.walk --------------------------------===//
#pragma once

#include "codegen/cuda/KernelFunction.h"

namespace stretto::codegen {

/// Emits the function of a walk; see buildRowwiseKernel. One block of 4 or 8 warps for each program of each span of
/// each sequence. `sharedOfBlock`: bytes of shared memory that a block may have.
mlir::LogicalResult buildWalkKernel(CudaBuilder &b, mlir::gpu::GPUModuleOp kernels, kern::WalkOp op,
                                    int64_t sharedOfBlock);

} // namespace stretto::codegen
