//===- Kernels.h - what a module of kernels asks of the GPU --------------------===//
#pragma once

#include "codegen/cuda/binary/Chip.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace stretto::codegen {

/// The kernels of a module, in order.
llvm::SmallVector<mlir::LLVM::LLVMFuncOp> kernelsOf(mlir::gpu::GPUModuleOp module);

/// The name of a kernel in messages and tables: its `kern.kernel`, or else its symbol.
llvm::StringRef nameOf(mlir::LLVM::LLVMFuncOp kernel);

/// Checks that the module can become machine code for `chip`: operations of the dialects llvm and nvvm alone, no more
/// shared memory than the chip has for a block (and at most 48 KiB of static one), no operation that the chip lacks,
/// and the attributes of each kernel. (LLVM 22 places memory of `gpu.dynamic_shared_memory` over the static one without
/// a word, and ends the process where the chip lacks an operation.) Reports the first violation at its operation, with
/// the kernel's name.
mlir::LogicalResult checkKernels(mlir::gpu::GPUModuleOp module, const Chip &chip);

/// The oldest chip whose plain code can express the kernels: what PTX that is to run on newer chips, too, is made for.
/// Nothing where they use what one architecture alone has, or hold PTX text, which tells nothing.
std::optional<Chip> portableChip(mlir::gpu::GPUModuleOp module);

} // namespace stretto::codegen
