//===- Allocate.cpp -----------------------------------------------------------===//
#include "codegen/memory/Allocate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace stretto;

bool stretto::liveTogether(const BufferRequest &a, const BufferRequest &b) {
  for (auto [begin, end] : a.live)
    for (auto [otherBegin, otherEnd] : b.live)
      if (begin <= otherEnd && otherBegin <= end)
        return true;
  return false;
}

/// The start of the smallest gap of at least `bytes` between the taken ranges (sorted by start); behind the last
/// one where no gap holds them.
static int64_t bestGap(llvm::ArrayRef<std::pair<int64_t, int64_t>> taken, int64_t bytes) {
  int64_t end = 0, best = -1, bestSize = INT64_MAX;
  for (auto [from, to] : taken) {
    int64_t gap = from - end;
    if (gap >= bytes && gap < bestSize) {
      best = end;
      bestSize = gap;
    }
    end = std::max(end, to);
  }
  return best >= 0 ? best : end;
}

Allocation stretto::allocate(llvm::ArrayRef<BufferRequest> requests, int64_t alignment) {
  Allocation result;
  result.offsets.assign(requests.size(), 0);
  llvm::SmallVector<unsigned> order(requests.size()), placed;
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return requests[a].bytes > requests[b].bytes; });
  for (unsigned i : order) {
    llvm::SmallVector<std::pair<int64_t, int64_t>> taken;
    for (unsigned other : placed)
      if (liveTogether(requests[i], requests[other]))
        taken.emplace_back(result.offsets[other],
                           result.offsets[other] + llvm::alignTo(requests[other].bytes, alignment));
    llvm::sort(taken);
    int64_t bytes = llvm::alignTo(requests[i].bytes, alignment);
    result.offsets[i] = bestGap(taken, bytes);
    result.bytes = std::max(result.bytes, result.offsets[i] + bytes);
    placed.push_back(i);
  }
  return result;
}
