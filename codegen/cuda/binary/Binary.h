//===- Binary.h - kernels as the GPU runs them ---------------------------------===//
#pragma once

#include "codegen/cuda/SharedMemory.h"
#include "codegen/cuda/binary/Kernels.h"
#include "codegen/cuda/binary/Toolkit.h"

namespace stretto::codegen {

/// What one kernel takes, as messages and tables show it.
struct KernelCost {
  mlir::LLVM::LLVMFuncOp kernel;
  int64_t registers = 0; // of a thread
  int64_t spills = 0;    // bytes of registers that a thread keeps in local memory
  int64_t local = 0;     // bytes of local memory of a thread, spills included
  int64_t shared = 0;    // bytes of static shared memory of a block

  /// Bytes of shared memory of a block, static and dynamic.
  int64_t allShared() const { return shared + dynamicSharedOf(kernel); }
};

/// What each kernel takes on `chip`, in order; `checkKernels` must hold. Kernels that spill registers are made in other
/// ways (Relief.h), by attributes in `module`; one that still spills is a warning at its place. Reports what goes
/// wrong.
mlir::FailureOr<llvm::SmallVector<KernelCost>> measureKernels(mlir::gpu::GPUModuleOp module, const Chip &chip,
                                                              const Toolkit &toolkit);

/// The code of one module of kernels.
struct DeviceCode {
  std::string cubin;                   // machine code of the chip
  std::string portable;                // PTX of an older architecture; empty: the kernels use what only the chip has
  std::optional<Chip> portableChip;    // what `portable` is made for
  llvm::SmallVector<KernelCost> costs; // of each kernel, in order
};

/// Makes code for `chip` and measures its kernels; `checkKernels` must hold. Reports what goes wrong.
mlir::FailureOr<DeviceCode> makeDeviceCode(mlir::gpu::GPUModuleOp module, const Chip &chip, const Toolkit &toolkit);

/// The code for `chip` as text: PTX, or machine code as a disassembler prints it. `checkKernels` must hold. Reports
/// what goes wrong.
enum class DeviceText { ptx, sass };
mlir::FailureOr<std::string> printDeviceCode(mlir::gpu::GPUModuleOp module, const Chip &chip, const Toolkit &toolkit,
                                             DeviceText kind);

} // namespace stretto::codegen
