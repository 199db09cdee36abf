//===- LibraryKernels.h - kernels for library operations -------------------------===//
#pragma once

#include "codegen/cuda/KernelFunction.h"

namespace stretto::codegen {

/// How this target computes a library operation by a kernel of its own.
struct LibraryKernel {
  llvm::StringRef operation; ///< its name in the IR
  llvm::StringRef family;    ///< what kernels of its kind are called: "embed" for "gradients.embed0"
  /// Emits the function; see buildRowwiseKernel.
  mlir::LogicalResult (*build)(CudaBuilder &b, mlir::gpu::GPUModuleOp kernels, mlir::Operation *op);
  /// Whether it is for this one of these operations; null: it is for all.
  bool (*takes)(mlir::Operation *op) = nullptr;
};

/// The one for an operation, or null: the runtime's library computes it.
const LibraryKernel *libraryKernelOf(mlir::Operation *op);

/// One for each operation; each is defined beside the code that it names.
extern const LibraryKernel embedKernel, embedGradKernel, writeCacheKernel, readCacheKernel, lastRowKernel,
    attentionStepKernel, narrowMixerKernel, narrowMixerGradKernel;

/// Lanes of the widest vectors that divide a row of `width` numbers, where one takes `bytes`.
int64_t rowLanes(int64_t width, int64_t bytes);

} // namespace stretto::codegen
