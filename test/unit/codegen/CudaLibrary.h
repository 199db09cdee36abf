//===- CudaLibrary.h - compile CUDA kernels for the emulator, load them, check them -------===//
#pragma once

#include "KernelLibrary.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace stretto::test {

/// How to share rows out over threads; 0: as the compiler chooses. `tiles` of more than 1 stands for as many as there
/// are then.
struct CudaSchedule {
  int64_t rows = 0, lanes = 0, chunk = 0, threads = 0, groups = 0, tiles = 0, places = 0;
};

/// A copy of `module` whose kernels have names (a kern.rowwise that of its function, where it has none), schedules and
/// split column sums. Of `schedule`, numbers that are 0 are the compiler's choice; there is one tile where a kernel
/// cannot have several. Null where a pass fails.
mlir::OwningOpRef<mlir::ModuleOp> scheduleForCuda(mlir::ModuleOp module, CudaSchedule schedule);

/// Makes bf16 of all f32 operands and row results of kernels: read through arith.extf, yielded through arith.truncf.
void storeAsBf16(mlir::ModuleOp module);

/// The operations of a module that become kernels, in order.
mlir::SmallVector<mlir::Operation *> kernelsOf(mlir::ModuleOp module);

/// What all kernels of a scheduled module become on the emulator.
class CudaLibrary {
public:
  /// `edit` may change the kernels between lowering and emulation.
  explicit CudaLibrary(mlir::ModuleOp scheduled, llvm::function_ref<void(mlir::gpu::GPUModuleOp)> edit = nullptr);
  ~CudaLibrary();
  CudaLibrary(const CudaLibrary &) = delete;

  bool isLoaded() const { return handle; }
  /// The results of the kernel of `op` in one launch; of its first `most` blocks only, where it has more.
  std::vector<Numbers> launch(mlir::Operation *op, const std::vector<Numbers> &inputs, std::optional<InPlace> over = {},
                              int64_t most = INT64_MAX) const;

private:
  bool compile(mlir::ModuleOp code);

  std::string folder;
  std::map<std::string, int64_t> blocks; // of each kernel
  void *handle = nullptr;
};

/// The first blocks of a launch, which are to compute the first numbers of each result.
struct Part {
  int64_t blocks = INT64_MAX, numbers = INT64_MAX;
};

/// Runs the kernel of `op`, or a part of its blocks, on seeded numbers under three orders of warps and blocks with all
/// checks, and compares it with what the operation means; then once for each result and each operand whose memory it
/// may take over: what differs first, or nothing. (What the emulator reports ends the process.) `change` may give the
/// kernel other numbers than those that it is compared for.
std::string checkKernel(mlir::Operation *op, const CudaLibrary &library, uint64_t seed, Part part = {},
                        llvm::function_ref<void(std::vector<Numbers> &)> change = nullptr);

} // namespace stretto::test
