//===- Allocate.cpp - offsets from live ranges -----------------------------===//
#include "codegen/memory/Allocate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace stretto;
using namespace stretto::codegen;

bool stretto::codegen::liveTogether(const LivePiece &a, const LivePiece &b) {
  auto i = a.live.begin(), j = b.live.begin();
  while (i != a.live.end() && j != b.live.end()) {
    if (i->first <= j->second && j->first <= i->second)
      return true;
    i->second < j->second ? ++i : ++j;
  }
  return false;
}

static int64_t endOf(const BufferRequest &request) { return request.empty() ? 0 : request.back().to; }

/// The offset in the narrowest range of free offsets (the last one has no end). Offsets between the two numbers of a
/// pair are not free.
static int64_t narrowestGap(llvm::SmallVectorImpl<std::pair<int64_t, int64_t>> &forbidden, int64_t alignment) {
  llvm::sort(forbidden);
  int64_t start = 0, best = -1, width = INT64_MAX;
  for (auto [from, to] : forbidden) {
    if (from >= start && from - start < width) {
      best = start;
      width = from - start;
    }
    start = std::max<int64_t>(start, llvm::alignTo(std::max<int64_t>(to, 0), alignment));
  }
  return best >= 0 ? best : start;
}

static Allocation placeInOrder(llvm::ArrayRef<BufferRequest> requests, llvm::ArrayRef<unsigned> order,
                               llvm::ArrayRef<LivePiece> taken, int64_t alignment) {
  Allocation result;
  result.offsets.assign(requests.size(), 0);
  llvm::SmallVector<LivePiece> placed(taken);
  for (unsigned i : order) {
    llvm::SmallVector<std::pair<int64_t, int64_t>> forbidden;
    for (const LivePiece &piece : requests[i])
      for (const LivePiece &other : placed)
        if (liveTogether(piece, other))
          forbidden.emplace_back(other.from - piece.to, other.to - piece.from);
    int64_t offset = result.offsets[i] = narrowestGap(forbidden, alignment);
    for (LivePiece piece : requests[i]) {
      piece.from += offset;
      piece.to += offset;
      placed.push_back(piece);
    }
    result.bytes = std::max<int64_t>(result.bytes, llvm::alignTo(offset + endOf(requests[i]), alignment));
  }
  return result;
}

/// The place in `order` of the buffer whose end lies highest.
static unsigned *findHighest(llvm::ArrayRef<BufferRequest> requests, llvm::SmallVectorImpl<unsigned> &order,
                             const Allocation &allocation) {
  return std::max_element(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return allocation.offsets[a] + endOf(requests[a]) < allocation.offsets[b] + endOf(requests[b]);
  });
}

Allocation stretto::codegen::allocate(llvm::ArrayRef<BufferRequest> requests, llvm::ArrayRef<LivePiece> taken,
                                      int64_t alignment) {
  constexpr int64_t mostPairs = int64_t(1) << 26; // of buffers that are held against each other
  const int64_t pairs = std::max<int64_t>(1, int64_t(requests.size()) * int64_t(requests.size()) / 2);
  const int64_t attempts = std::clamp<int64_t>(mostPairs / pairs, 1, 16);
  llvm::SmallVector<unsigned> order(requests.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return endOf(requests[a]) > endOf(requests[b]); });
  Allocation best = placeInOrder(requests, order, taken, alignment), last = best;
  for (int64_t attempt = 1; attempt < attempts && !order.empty(); ++attempt) {
    unsigned *highest = findHighest(requests, order, last);
    if (highest == order.begin())
      break;
    std::rotate(order.begin(), highest, highest + 1);
    last = placeInOrder(requests, order, taken, alignment);
    if (last.bytes < best.bytes)
      best = last;
  }
  return best;
}
