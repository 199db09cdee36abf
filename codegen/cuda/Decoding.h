//===- Decoding.h - the kernels of decode entries --------------------------------===//
#pragma once

#include "codegen/cuda/KernelFunction.h"

namespace stretto {

/// Gives each operation on caches a kernel of its own: the attribute `kern.kernel`, the name of its function and "decode"
/// and a number within it, "decode_one.decode0".
void nameDecoding(mlir::ModuleOp module);

/// Whether an operation is one of those.
bool isDecoding(mlir::Operation *op);

/// Emits the function of one; see buildRowwiseKernel.
mlir::LogicalResult buildDecodingKernel(CudaBuilder &b, mlir::gpu::GPUModuleOp kernels, mlir::Operation *op);

/// The function of seq.attention_step.
void buildAttentionStep(CudaBuilder &b, mlir::gpu::GPUModuleOp kernels, seq::AttentionStepOp op);

} // namespace stretto
