//===- Relief.h - kernels that spill registers are made in other ways ----------===//
#pragma once

#include "codegen/cuda/binary/Binary.h"

#include "llvm/ADT/MapVector.h"

namespace stretto::codegen {

/// Looks for ways to make the kernels of a module in which they do not spill. A way says for how many blocks of a
/// multiprocessor there are to be registers (`nvvm.minctasm`), and how often the number of the thread is renewed
/// (Renewals.h). What takes least time comes first: as many blocks as the kernel asks for and no renewals; then more
/// and more renewals; then the same for fewer blocks, as long as their threads get more registers. The first way
/// without spills is taken, or else the one that spills least.
class Relief {
public:
  explicit Relief(mlir::gpu::GPUModuleOp module);

  /// Changes kernels that spill, given what those take that were made since the last change. Returns the changed ones.
  llvm::SmallVector<mlir::LLVM::LLVMFuncOp> change(llvm::ArrayRef<KernelCost> costs);
  /// Remarks: which kernels are not made in their first way, and what they would spill.
  void report() const;

private:
  struct Way {
    int64_t blocks = 0; // 0: as many as ptxas likes
    int64_t steps = 0;  // from renewal to renewal; 0: there are none
  };
  class Search {
  public:
    explicit Search(mlir::LLVM::LLVMFuncOp kernel);
    bool change(int64_t spilled); ///< by the kernel as it is made now
    void report() const;

  private:
    void choose(size_t way);

    mlir::LLVM::LLVMFuncOp kernel;
    llvm::SmallVector<Way> ways;
    llvm::SmallVector<int64_t> spills; // of the ways that were tried
    size_t chosen = 0;
  };
  llvm::MapVector<mlir::Operation *, Search> kernels;
};

} // namespace stretto::codegen
