//===- MatmulKernel.h - the function of a kern.matmul ------------------------------===//
#pragma once

#include "codegen/cuda/KernelFunction.h"
#include "codegen/rows/ScheduleOverrides.h"

namespace stretto::codegen {

/// Emits the function of a matmul; see buildRowwiseKernel. It is for sm_90a alone: operands of bf16 come by TMA, are
/// multiplied by warpgroups, and the body of the operation sees the matmul rounded to bf16.
mlir::LogicalResult buildMatmulKernel(CudaBuilder &b, mlir::gpu::GPUModuleOp kernels, kern::MatmulOp op);

/// Gives a matmul a schedule of tiles, and reports given numbers that cannot serve.
mlir::LogicalResult chooseMatmulSchedule(kern::MatmulOp op, const ScheduleOverride &given, int64_t processors);

/// Estimated cycles of a matmul with the schedule that it would be given, among them those of its bytes of memory and
/// the epilogue of its last tiles, which nothing hides; nothing where no tile leaves shared memory enough for the sums
/// along rows of its body. Its columns must fit a tile.
std::optional<double> estimateCycles(kern::MatmulOp op, int64_t processors);

} // namespace stretto::codegen
