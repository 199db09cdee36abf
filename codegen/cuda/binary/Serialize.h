//===- Serialize.h - from kernels to PTX -------------------------------------===//
#pragma once

#include "codegen/cuda/binary/Chip.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace stretto::codegen {

/// What PTX is written for.
struct PtxTarget {
  Chip chip;
  unsigned ptx;          // its version, 87 for 8.7; not below chip.leastPtx
  std::string libdevice; // path of the mathematical functions as bitcode; may be empty where kernels call none
};

/// Adds the interfaces by which a module of kernels becomes LLVM IR; they must be in its context before `writePtx`.
void registerKernelTranslation(mlir::DialectRegistry &registry);

/// The kernels as PTX text, optimized, by MLIR's serialisation of GPU modules. `checkKernels` must hold. Functions of
/// libdevice are linked in where the kernels call them. Reports what LLVM refuses at the module.
mlir::FailureOr<std::string> writePtx(mlir::gpu::GPUModuleOp module, const PtxTarget &target);

} // namespace stretto::codegen
