//===- Allocate.h - offsets from lifetimes ------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <utility>

namespace stretto {

/// A buffer to be given an offset: it is live in the closed intervals of time `live`.
struct BufferRequest {
  int64_t bytes = 0;
  llvm::SmallVector<std::pair<int64_t, int64_t>, 2> live;
};

/// Whether two buffers are live at the same time.
bool liveTogether(const BufferRequest &a, const BufferRequest &b);

struct Allocation {
  llvm::SmallVector<int64_t> offsets; // in the order of the requests
  int64_t bytes = 0;                  // the whole arena
};

/// Gives each buffer an offset (a multiple of `alignment`) such that buffers that are live together do not overlap.
/// Greedy: the largest first, each into the smallest gap among the placed ones it meets that holds it.
Allocation allocate(llvm::ArrayRef<BufferRequest> requests, int64_t alignment);

} // namespace stretto
