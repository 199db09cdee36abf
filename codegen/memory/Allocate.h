//===- Allocate.h - offsets from live ranges -----------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <utility>

namespace stretto::codegen {

/// A closed interval of time.
using Interval = std::pair<int64_t, int64_t>;

/// Bytes [from, to) that are in use in the intervals `live`, which are in order and do not overlap.
struct LivePiece {
  int64_t from, to;
  llvm::SmallVector<Interval, 2> live;
};

/// Whether two pieces are in use at the same time.
bool liveTogether(const LivePiece &a, const LivePiece &b);

/// The same pieces of `bytes` bytes, counted from the end of these, and so in the other order.
llvm::SmallVector<LivePiece> seenFromEnd(llvm::ArrayRef<LivePiece> pieces, int64_t bytes);

/// A buffer to be given an offset: pieces at fixed distances, from the start of the buffer, in order.
using BufferRequest = llvm::SmallVector<LivePiece, 1>;

struct Allocation {
  llvm::SmallVector<int64_t> offsets; // in the order of the requests
  int64_t bytes = 0;                  // the whole arena
};

/// Gives each buffer an offset (a multiple of `alignment`) such that pieces that are live together do not overlap, nor
/// any of `taken`, which lie where they are. Greedy: the largest buffer first, each into the narrowest gap among the
/// placed ones that holds it. Then again, a few times, with the buffer first whose end lay highest; fewer times where
/// there are thousands of buffers. The best attempt counts.
Allocation allocate(llvm::ArrayRef<BufferRequest> requests, llvm::ArrayRef<LivePiece> taken, int64_t alignment);

} // namespace stretto::codegen
