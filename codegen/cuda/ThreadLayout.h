//===- ThreadLayout.h - which thread computes which elements of a row ----------===//
#pragma once

#include "codegen/cuda/CudaBuilder.h"
#include "codegen/rows/ElementMap.h"

namespace stretto::codegen {

/// How the threads of a group (all tiles together) share the elements of a loop nest: each takes a vector of `lanes`
/// neighbouring columns of one head, and then, slot after slot, further ones. A head has `pad` threads, of which the
/// first `vectors` have something to do; sums along a head want a power of two, or whole warps.
struct ThreadLayout {
  Domain domain;
  int64_t threads;
  int64_t lanes, vectors, pad;
  int64_t headsPerPass; // heads that the threads cover in one slot; 1 where a head takes several slots
  int64_t slotsPerHead;
  int64_t slots;

  bool isWhole() const { return domain.heads == 1; }
};

/// `perHead`: each head is summed by itself.
ThreadLayout layOutThreads(Domain domain, int64_t threads, int64_t maxLanes, bool perHead);

/// Where a thread stands in a slot. Where it has nothing to do it stands at the first element, so that what it loads
/// exists (it must not load what others store there); `valid` (null: always) says whether its results count, `inHead`
/// whether its head exists. The columns of all threads are below `end`.
struct Position {
  mlir::Value head, column; // column: of the first lane
  mlir::Value valid, inHead;
  int64_t end = 0;
};

/// `slot` is a number, or an index in a loop over slots (of one head then).
Position positionOf(CudaBuilder &b, const ThreadLayout &layout, mlir::Value thread, int64_t slot);
Position positionOf(CudaBuilder &b, const ThreadLayout &layout, mlir::Value thread, mlir::Value slot);

} // namespace stretto::codegen
