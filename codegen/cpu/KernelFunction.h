//===- KernelFunction.h - the kinds of kernels -----------------------------===//
#pragma once

#include "codegen/cpu/LowerKernels.h"
#include "codegen/rows/VectorBuilder.h"
#include "ir/kern/KernOps.h"

namespace stretto::codegen {

/// Columns of a sum that one chunk of a kern.sum_partials kernel adds up.
inline constexpr int64_t sumPartialsColumns = 1024;

/// An empty function of the kernel's type (stretto_kernel_fn), with the builder inside.
mlir::LLVM::LLVMFuncOp makeKernelFunction(VectorBuilder &b, mlir::StringRef name);
/// Address of buffer `number` of a kernel; those of all operands and results of an operation.
mlir::Value bufferPointer(VectorBuilder &b, mlir::LLVM::LLVMFuncOp function, int64_t number);
llvm::SmallVector<mlir::Value> bufferPointers(VectorBuilder &b, mlir::LLVM::LLVMFuncOp function, mlir::Operation *op);

/// Emit the function of an operation at the builder's place, in scf, arith, math, vector and llvm.
mlir::FailureOr<KernelInfo> buildRowwiseKernel(VectorBuilder &b, kern::RowwiseOp op);
mlir::FailureOr<KernelInfo> buildMatmulKernel(VectorBuilder &b, kern::MatmulOp op);
/// Reports operands that no matmul of this target is for.
mlir::LogicalResult checkFactors(kern::MatmulOp op);
mlir::FailureOr<KernelInfo> buildPackKernel(VectorBuilder &b, kern::PackOp op);
mlir::FailureOr<KernelInfo> buildSumPartialsKernel(VectorBuilder &b, kern::SumPartialsOp op, const Target &target);

} // namespace stretto::codegen
