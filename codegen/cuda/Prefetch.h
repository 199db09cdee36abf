//===- Prefetch.h - loads some rounds of a loop before they are needed ---------===//
#pragma once

#include "codegen/cuda/CudaBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace stretto::codegen {

/// Lets each round of a loop load what a later one needs, so that it is on its way while rounds compute: as many rounds
/// ahead as a few registers hold, or none where one round takes too many. The loop counts from 0 to its end, which is
/// at least 1 and at most `rounds`; the last rounds load what the last one needs once more. Such loads read buffers
/// that nobody writes to, at addresses that follow from the counter. Returns the loop that takes the place of `loop`.
mlir::scf::ForOp prefetchLoads(CudaBuilder &b, mlir::scf::ForOp loop, int64_t rounds);

/// Shared memory for what is on its way to threads, aligned to 16 bytes: for each of `threads` a place of its own.
struct SharedRoom {
  mlir::Value pointer, thread;
  int64_t threads = 1, bytes = 0;
  std::function<void(int64_t)> take; // is told how many of the bytes are used
};

/// The same by asynchronous copies to shared memory, which hold no registers, if there is room for a few rounds: each
/// thread brings what it reads itself, so that no other one need wait for it. The loop may have no rounds at all.
void copyAhead(CudaBuilder &b, mlir::scf::ForOp loop, const SharedRoom &room);

} // namespace stretto::codegen
