// How ranks share out a sum: which of them exchange what, and in which order is added.
#include "runtime/dist/levels.h"

#include <algorithm>
#include <bit>

namespace stretto::runtime {

void addAsCounter(int64_t count, const std::function<void(int64_t, int64_t)> &add) {
  std::vector<int64_t> blocks; // where the blocks that are not yet added begin
  for (int64_t i = 0; i < count; ++i) {
    blocks.push_back(i);
    for (int64_t full = i + 1; full % 2 == 0; full /= 2) {
      add(blocks[blocks.size() - 2], blocks.back());
      blocks.pop_back();
    }
  }
  for (; blocks.size() > 1; blocks.pop_back())
    add(blocks[blocks.size() - 2], blocks.back());
}

std::vector<RankLevel> rankLevels(int ranks, int localRanks) {
  const auto powerIn = [](int number) { return std::min(8, number & -number); };
  std::vector<RankLevel> levels;
  int stride = 1, local = ranks % localRanks == 0 ? localRanks : 1;
  for (int left = ranks; left > 1;) {
    int size = powerIn(left);
    if (powerIn(local) > 1)
      size = std::min(size, powerIn(local));
    if (size == 1)
      size = left;
    levels.push_back({size, stride});
    local = local % size == 0 ? local / size : 1;
    left /= size;
    stride *= size;
  }
  return levels;
}

RowPart ownedRows(const std::vector<RankLevel> &levels, int rank, RowPart rows) {
  for (const RankLevel &level : levels)
    rows = rows.part(level.memberOf(rank), level.size);
  return rows;
}

int64_t roomFor(int64_t rows, int64_t ranks, int64_t unit) {
  const int64_t step = ranks * unit;
  return (rows + step - 1) / step * step;
}

int64_t pendingSums(int64_t count) { return std::bit_width(static_cast<uint64_t>(count)) - 1; }

} // namespace stretto::runtime
