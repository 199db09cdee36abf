//===- GroupBarrier.h - where the threads of a group meet ---------------------------===//
#pragma once

#include "codegen/cuda/CudaBuilder.h"

namespace stretto::codegen {

/// What the threads of a group have written to memory is seen by all of them behind a meeting. Lanes of one warp meet
/// by themselves; more threads at the barrier of the block, as all of its groups do together, or at one by number.
class GroupBarrier {
public:
  GroupBarrier(CudaBuilder &b, int64_t threads) : b(b), threads(threads) {}

  /// From now on the group meets alone. `barrier`: its number, an index; 0 is that of the block.
  void enter(mlir::Value barrier) { number = barrier; }
  /// Whether no other group has to be there: a group may meet as often as it likes.
  bool isOfGroupAlone() const { return number || threads == warpThreads; }
  void meet() {
    if (threads <= warpThreads)
      b.syncWarp();
    else if (number)
      b.barrier(number, threads);
    else
      b.barrier();
  }

private:
  CudaBuilder &b;
  int64_t threads;
  mlir::Value number;
};

} // namespace stretto::codegen
