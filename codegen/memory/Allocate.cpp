//===- Allocate.cpp - offsets from live ranges -----------------------------===//
#include "codegen/memory/Allocate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <vector>

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

llvm::SmallVector<LivePiece> stretto::codegen::seenFromEnd(llvm::ArrayRef<LivePiece> pieces, int64_t bytes) {
  return llvm::map_to_vector(llvm::reverse(pieces), [bytes](const LivePiece &piece) {
    return LivePiece{bytes - piece.to, bytes - piece.from, piece.live};
  });
}

static int64_t endOf(const BufferRequest &request) { return request.empty() ? 0 : request.back().to; }

namespace {
/// Finds the narrowest range of free offsets (the last one has no end).
class NarrowestGap {
public:
  explicit NarrowestGap(int64_t alignment) : alignment(alignment) {}

  /// Offsets between two numbers are not free. Those of all calls before are no greater than `from`.
  void forbid(int64_t from, int64_t to) {
    if (from >= start && from - start < width) {
      best = start;
      width = from - start;
    }
    start = std::max<int64_t>(start, llvm::alignTo(std::max<int64_t>(to, 0), alignment));
  }
  /// Whether it makes no difference to forbid these.
  bool isForbidden(int64_t from, int64_t to) const { return from < start && to <= start; }
  int64_t offset() const { return best >= 0 ? best : start; }

private:
  int64_t alignment, start = 0, best = -1, width = INT64_MAX;
};

/// Pieces that have their place, in the order of their first bytes.
class PlacedPieces {
public:
  void add(const LivePiece &piece, int64_t offset) {
    Placed placed{piece.from + offset, piece.to + offset, &piece};
    list.insert(llvm::upper_bound(list, placed, [](auto &a, auto &b) { return a.from < b.from; }), placed);
  }

  /// The offset in the narrowest gap that holds a buffer.
  int64_t narrowestGap(const BufferRequest &request, int64_t alignment) const {
    NarrowestGap gap(alignment);
    if (request.size() == 1) {
      const LivePiece &piece = request.front();
      for (const Placed &other : list)
        if (int64_t from = other.from - piece.to, to = other.to - piece.from;
            !gap.isForbidden(from, to) && liveTogether(piece, *other.piece))
          gap.forbid(from, to);
      return gap.offset();
    }
    llvm::SmallVector<std::pair<int64_t, int64_t>> forbidden;
    for (const LivePiece &piece : request)
      for (const Placed &other : list)
        if (liveTogether(piece, *other.piece))
          forbidden.emplace_back(other.from - piece.to, other.to - piece.from);
    llvm::sort(forbidden);
    for (auto [from, to] : forbidden)
      gap.forbid(from, to);
    return gap.offset();
  }

private:
  struct Placed {
    int64_t from, to;
    const LivePiece *piece; // when it is live
  };
  std::vector<Placed> list;
};
} // namespace

static Allocation placeInOrder(llvm::ArrayRef<BufferRequest> requests, llvm::ArrayRef<unsigned> order,
                               llvm::ArrayRef<LivePiece> taken, int64_t alignment) {
  Allocation result;
  result.offsets.assign(requests.size(), 0);
  PlacedPieces placed;
  for (const LivePiece &piece : taken)
    placed.add(piece, 0);
  for (unsigned i : order) {
    int64_t offset = result.offsets[i] = placed.narrowestGap(requests[i], alignment);
    for (const LivePiece &piece : requests[i])
      placed.add(piece, offset);
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
