//===- KernelFunction.h - the function of a kernel ------------------------------===//
#pragma once

#include "codegen/cuda/CudaBuilder.h"
#include "ir/kern/Kernels.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace stretto::codegen {

/// How a kernel is launched, and what a launch costs; written as `kern.` attributes on its function.
struct CudaLaunch {
  std::array<int64_t, 2> grid{1, 1}; // blocks in x and y
  int64_t block = warpThreads;       // threads, a multiple of 32
  int64_t flops = 0;                 // of a whole launch, each function of math counted as one
  int64_t bytes = 0;                 // read and written by a whole launch; 0: each buffer once
  int32_t cluster = 1;               // blocks of a cluster, along x, a divisor of the grid
  int32_t resident = 0;              // blocks that a multiprocessor is to have registers for; 0: the assembler's choice
  int64_t registers = 0;             // of a thread at launch, if warps exchange registers then; 0: they do not
};

/// The function of one kernel while it is built: one pointer to global memory for each operand and result of `op`.
class KernelFunction {
public:
  /// Starts the function of the operation in `kernels`; the builder stands in it. The operation has a kernel name.
  KernelFunction(CudaBuilder &b, mlir::gpu::GPUModuleOp kernels, mlir::Operation *op);

  mlir::Value buffer(unsigned number) { return function.getArgument(number); }
  /// Says that nobody writes to a buffer while the kernel runs: its loads may be moved in front of stores and barriers.
  void onlyRead(unsigned number);
  /// `bytes` of shared memory of the block, aligned to 16 bytes.
  mlir::Value shared(mlir::StringRef purpose, int64_t bytes);
  /// The same, in one variable for all that asks here.
  mlir::Value scratch(int64_t bytes);
  /// What asks for scratch from now on runs in other blocks than what has some: it has the same memory.
  void reuseScratch() { scratchTaken = 0; }
  /// All of the dynamic shared memory of the block, `bytes` of it (at most `mostShared`, on some chips less), aligned
  /// to `dynamicSharedAlignment`. Called once: a caller that needs several arrays divides it.
  mlir::Value dynamicShared(int64_t bytes);
  /// Lets a block have so many bytes of dynamic shared memory at least.
  void growDynamicShared(int64_t bytes);
  /// A tensor as bulk tensor copies see it: the address of its map, one more parameter of the kernel. One buffer may be
  /// seen in several ways.
  mlir::Value tensorMap(kern::TensorMapAttr map);
  /// Ends the function and says how it is launched.
  void finish(const CudaLaunch &launch);

private:
  /// A variable in shared memory, in front of the function.
  mlir::LLVM::GlobalOp defineShared(const llvm::Twine &name, mlir::LLVM::Linkage linkage, int64_t bytes,
                                    int64_t alignment);

  CudaBuilder &b;
  mlir::Operation *op;
  mlir::gpu::GPUModuleOp kernels;
  mlir::LLVM::LLVMFuncOp function;
  mlir::SmallVector<mlir::Attribute> tensorMaps; // the last parameters
  mlir::LLVM::GlobalOp scratchVariable;
  int64_t scratchTaken = 0;
};

/// The name of a kernel as a symbol that assemblers take: letters, digits and underscores.
std::string kernelSymbol(mlir::StringRef kernel);

/// Emit the function of an operation into `kernels`, in scf, arith, math, vector, llvm and nvvm. Failures are reported
/// at the operation.
mlir::LogicalResult buildRowwiseKernel(CudaBuilder &b, mlir::gpu::GPUModuleOp kernels, kern::RowwiseOp op);

/// Shared memory of a block for the places of a kernel's schedule; 0 where its loads cannot be copied there. Emits the
/// kernel to find out.
int64_t bytesOfPlaces(kern::RowwiseOp op);
mlir::LogicalResult buildSumPartialsKernel(CudaBuilder &b, mlir::gpu::GPUModuleOp kernels, kern::SumPartialsOp op);

} // namespace stretto::codegen
