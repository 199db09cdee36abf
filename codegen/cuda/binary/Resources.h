//===- Resources.h - what a kernel takes of a multiprocessor -------------------===//
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace stretto::codegen {

/// What one kernel takes, as its machine code says.
struct Resources {
  int64_t registers = 0; // 32-bit registers of a thread
  int64_t local = 0;     // bytes of local memory of a thread: its own arrays and spilled registers
  int64_t shared = 0; // bytes of static shared memory of a block, without the 1 KiB that the system adds from sm_90 on
};

/// Reads the resources of every kernel of a cubin (an ELF file of the CUDA architecture), by symbol. The numbers stand
/// in the section `.nv.info` and in the sizes of the sections `.nv.shared.<kernel>`; `cuobjdump --dump-resource-usage`
/// prints the same ones (as REG, STACK and SHARED).
llvm::Expected<llvm::StringMap<Resources>> readResources(llvm::StringRef cubin);

} // namespace stretto::codegen
