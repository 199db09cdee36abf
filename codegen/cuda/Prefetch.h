//===- Prefetch.h - loads some rounds of a loop before they are needed ---------===//
#pragma once

#include "codegen/cuda/GroupBarrier.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace stretto::codegen {

/// That hold what a thread loads for later rounds.
inline constexpr int64_t mostRegistersAhead = 24;

/// Lets each round of a loop load what a later one needs, so that it is on its way while rounds compute: as many rounds
/// ahead as a few registers hold, or none where one round takes too many. The loop counts from 0 to its end, which is
/// at least 1 and at most `rounds`; the last rounds load what the last one needs once more. Such loads read buffers
/// that nobody writes to, at addresses that follow from the counter. Returns the loop that takes the place of `loop`.
mlir::scf::ForOp prefetchLoads(CudaBuilder &b, mlir::scf::ForOp loop, int64_t rounds);

/// Moves loads that a round of a loop begins behind a barrier to where it begins the others, so that it waits for
/// memory once: as many as a few registers hold. They read rows of global memory at addresses that follow from the
/// counter, and no thread but the one that loads a number may write it in the loop. What is loaded from a result, to be
/// added to, stays where it is.
void loadBeforeBarriers(mlir::scf::ForOp loop);

/// Shared memory for what is on its way to groups of threads, aligned to 16 bytes.
struct SharedRoom {
  mlir::Value pointer, group, thread; // thread: of its group
  int64_t groups = 1, groupThreads = 1, bytes = 0;
  std::function<void(int64_t)> take; // is told how many of the bytes are used
  bool mayMeet = true;               // whether all who meet at the barrier of a group go through as many rounds
};

/// Attribute of a load: so many threads of a group, one behind the other, load from different places, and those behind
/// them from the same ones again.
inline constexpr llvm::StringLiteral threadsApartAttr = "kern.threads_apart";

/// Places for rounds that are on their way to shared memory. With more of them too many copies begin at once: the
/// backward of Canon D in its matmul takes 336 us on an H200 with eight, 312 with four, 321 with two.
inline constexpr int64_t usualPlaces = 4;

/// The same by asynchronous copies to shared memory, which hold no registers: a ring of `places`, a power of two, so
/// that copies are a round less ahead. Each thread brings what it reads itself, so that no other one need wait for it;
/// of what several threads of a group read, the first one brings it, and the group meets at `barrier` in each round, if
/// it may.
/// The loop may have no rounds at all. A thread that writes to a number it loads does so in the same round, behind the
/// load, unless later rounds load it again, as they do from results and from buffers in `written`: those loads stay.
/// Returns the bytes of shared memory that this takes: it is not done if there is no room for them.
int64_t copyAhead(CudaBuilder &b, mlir::scf::ForOp loop, const SharedRoom &room, GroupBarrier &barrier, int64_t places,
                  llvm::ArrayRef<mlir::Value> written);

} // namespace stretto::codegen
