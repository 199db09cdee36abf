//===- CudaBuilder.h - small pieces of device code -----------------------------===//
#pragma once

#include "codegen/rows/VectorBuilder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace stretto::codegen {

/// Threads that run in step and exchange registers.
inline constexpr int64_t warpThreads = 32;
/// Bytes that an instruction of a thread moves, at most: a power of two, like all alignments.
inline constexpr int64_t widestAccess = 16;

/// Builds the code of one thread of a CUDA kernel. Numbers of threads and blocks are i64, like all indices.
class CudaBuilder : public VectorBuilder {
public:
  CudaBuilder(mlir::Location loc, mlir::MLIRContext *context)
      : VectorBuilder(loc, context, /*fusedMultiplyAdd=*/true) {}

  mlir::Value threadIndex(int64_t threads); // threadIdx.x < threads
  mlir::Value blockIndexX(int64_t blocks);
  mlir::Value blockIndexY(int64_t blocks);
  mlir::Value less(mlir::Value a, mlir::Value b);
  mlir::Value less(mlir::Value a, int64_t b) { return less(a, index(b)); }
  mlir::Value divide(mlir::Value a, int64_t b); // of numbers that are not negative
  mlir::Value remainder(mlir::Value a, int64_t b);
  mlir::Value both(mlir::Value a, mlir::Value b); // of conditions; null stands for true
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);

  /// All threads of the block meet; what they wrote to memory is seen by all behind it.
  void barrier();
  /// So many threads of the block, whole warps, meet at the barrier of a number (an index, from 0 to 15).
  void barrier(mlir::Value number, int64_t threads);
  /// The lanes of the warp meet; what they wrote to memory is seen by all of them behind it.
  void syncWarp();
  /// The lanes of the warp where `condition` holds, as the bits of an i32. All 32 take part.
  mlir::Value ballot(mlir::Value condition);
  /// The value of the lane whose number differs in the bits of `mask`. All 32 lanes of the warp take part. f32, f64,
  /// i32.
  mlir::Value exchange(mlir::Value value, int64_t mask);
  /// A number below `end`, a power of 2, as a value of which compilers do not know that it is the same: what follows
  /// from it is computed behind it, not before (Renewals.h). All 32 lanes of the warp take part.
  mlir::Value renew(mlir::Value number, int64_t end, int64_t step);
  /// `kind` over each `lanes` neighbouring lanes (a power of two, at most 32): halves are combined until one is left.
  mlir::Value reduceLanes(seq::ReduceKind kind, mlir::Value value, int64_t lanes);

  /// Runs `body` where `condition` holds; null: always.
  void when(mlir::Value condition, llvm::function_ref<void()> body);

  /// Memory access to a vector whose address is a multiple of `alignment` bytes.
  mlir::Value loadAligned(mlir::Type element, int64_t lanes, mlir::Value pointer, int64_t alignment);
  void storeAligned(mlir::Value value, mlir::Value pointer, int64_t alignment);
  /// Reads where `condition` holds (null: always), else zeros without touching memory.
  mlir::Value loadWhere(mlir::Value condition, mlir::Type element, int64_t lanes, mlir::Value pointer,
                        int64_t alignment);

  /// Begins to copy 16 bytes from global to shared memory, both aligned to 16 bytes; where `where` does not hold (null:
  /// it does), zeros are written and nothing is read. Or 4 or 8 bytes, through the first-level cache.
  void copyAsync(mlir::Value to, mlir::Value from, mlir::Value where = {}, int32_t bytes = widestAccess);
  /// The copies that the thread has begun since its last commit belong to this one.
  void commitCopies();
  /// Waits for the thread's own copies but those of its last `commits`. Others see what was copied behind a barrier
  /// only.
  void awaitCopies(int64_t commits);
};

/// Bytes that divide every address made of multiples of the `offsets` (in elements), at most `widestAccess`.
int64_t commonAlignment(mlir::ArrayRef<int64_t> offsets, mlir::Type element);

} // namespace stretto::codegen
