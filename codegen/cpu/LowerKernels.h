//===- LowerKernels.h - fused kernels become functions -------------------------===//
#pragma once

#include "codegen/target/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace stretto::codegen {

/// What a launch needs to know about a kernel; the counts of stretto_kernel in the ABI.
struct KernelInfo {
  std::string name;
  int64_t chunks;       // of a whole launch, independent of the thread count
  int64_t buffers;      // operands, then results
  int64_t scratchBytes; // private memory of each thread
  int64_t bytesMoved;   // each result once, of each operand what is read, once
  int64_t flops;        // arithmetic operations of a whole launch, each function of math counted as one
};

/// Adds to `module` one `llvm.func @<kernel>(ptr buffers, i64 begin, i64 end, ptr scratch)` for each KernelOp,
/// in the LLVM dialect, and describes it in `kernels`, in the order of the operations. The operations stay. Each must
/// have a `kernel` name of its own; a rowwise needs a `schedule`, and its column sums must be partial. Failures are
/// reported at the operation.
mlir::LogicalResult lowerKernels(mlir::ModuleOp module, const Target &target,
                                 llvm::SmallVectorImpl<KernelInfo> &kernels);

} // namespace stretto::codegen
