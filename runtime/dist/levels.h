// How ranks share out a sum: which of them exchange what, and in which order is added. Arithmetic alone.
//
// Gradients of V virtual ranks are added as a binary counter counts: equal blocks of 1, 2, 4, ... neighbours in pairs,
// and blocks that are left at the end from the smallest to the largest. A rank has a block of virtual ranks, and the
// groups of a level have neighbouring blocks, so that the sum is the same expression for any number of ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace stretto::runtime {

// Calls add(i, j), which stands for "block i += block j, and j is gone", i < j, until block 0 is the sum of `count`
// blocks.
void addAsCounter(int64_t count, const std::function<void(int64_t i, int64_t j)> &add);

// A level: groups of `size` ranks, `stride` apart: ranks r, r + stride, ..., with blocks of `stride` ranks each.
struct RankLevel {
  int size = 1, stride = 1;
  int memberOf(int rank) const { return rank / stride % size; }
  int groupOf(int rank) const {
    return rank / (stride * size) * stride + rank % stride;
  } // groups: 0 .. ranks / size - 1
};

// The levels of `ranks`, `localRanks` of which are neighbours on one host (1: not known): the largest power of two up
// to 8 that divides what is left, on one host first; at the end all that remain.
std::vector<RankLevel> rankLevels(int ranks, int localRanks);

// Rows [begin, end).
struct RowPart {
  int64_t begin = 0, end = 0;
  int64_t rows() const { return end - begin; }
  // Part `index` of `count` equal ones.
  RowPart part(int64_t index, int64_t count) const {
    return {begin + rows() / count * index, begin + rows() / count * (index + 1)};
  }
};

// What a rank owns of rows, a multiple of the number of ranks: level after level, the part of its member.
RowPart ownedRows(const std::vector<RankLevel> &levels, int rank, RowPart rows);

// `rows` rounded up so that each of `ranks` has a multiple of `unit` rows.
int64_t roomFor(int64_t rows, int64_t ranks, int64_t unit);

// How many sums of blocks are kept while `count` virtual ranks are added one after the other.
int64_t pendingSums(int64_t count);

} // namespace stretto::runtime
