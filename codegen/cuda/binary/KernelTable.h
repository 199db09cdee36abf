//===- KernelTable.h - what the kernels take of the GPU, as a table ------------===//
#pragma once

#include "codegen/cuda/binary/Binary.h"

#include "llvm/Support/raw_ostream.h"

namespace stretto::codegen {

/// What a multiprocessor has for the blocks that it runs at a time (CUDA programming guide, "Technical Specifications
/// per Compute Capability").
struct Multiprocessor {
  int64_t warps, blocks; // at a time
  int64_t sharedBytes;   // shared memory, of which each block takes `sharedOfSystem` besides its own
  int64_t registers = 65536;

  static Multiprocessor of(const Chip &chip);
  /// Shared memory that one block may have, static and dynamic; more than 48 KiB must be asked for before a launch.
  int64_t sharedOfBlock() const { return sharedBytes - sharedOfSystem; }
  /// Warps of a kernel with blocks of `threads` threads and `shared` bytes of shared memory that run at a time; 0: a
  /// block does not fit.
  int64_t warpsOf(int64_t threads, int64_t registersOfThread, int64_t shared) const;
};

/// One line for each kernel: grid, block, registers, spills, shared memory, and how many of the warps that a
/// multiprocessor can hold run at a time.
void printKernelTable(llvm::ArrayRef<KernelCost> costs, const Chip &chip, llvm::raw_ostream &os);

} // namespace stretto::codegen
