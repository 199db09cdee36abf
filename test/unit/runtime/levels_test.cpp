// How ranks share out a sum: one expression for any number of ranks.
#include "runtime/dist/levels.h"

#include <gtest/gtest.h>
#include <numeric>
#include <string>

using namespace stretto::runtime;

namespace {

// The sum of blocks as text; addition commutes, so the smaller text comes first.
std::string sumOf(std::string a, std::string b) { return a < b ? "(" + a + "+" + b + ")" : "(" + b + "+" + a + ")"; }

std::string counterSum(std::vector<std::string> blocks) {
  addAsCounter(static_cast<int64_t>(blocks.size()),
               [&](int64_t i, int64_t j) { blocks[i] = sumOf(blocks[i], blocks[j]); });
  return blocks[0];
}

// What all ranks come to, level after level.
std::string sumOverRanks(int virtualRanks, int ranks, int localRanks) {
  std::vector<std::string> sums;
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<std::string> own;
    for (int i = 0; i < virtualRanks / ranks; ++i)
      own.push_back(std::to_string(rank * (virtualRanks / ranks) + i));
    sums.push_back(counterSum(own));
  }
  for (const RankLevel &level : rankLevels(ranks, localRanks)) {
    std::vector<std::string> next(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<std::string> group(level.size);
      for (int other = 0; other < ranks; ++other)
        if (level.groupOf(other) == level.groupOf(rank))
          group[level.memberOf(other)] = sums[other];
      next[rank] = counterSum(group);
    }
    sums = next;
  }
  for (const std::string &sum : sums)
    EXPECT_EQ(sum, sums[0]);
  return sums[0];
}

TEST(Levels, BlocksAreAddedAsACounterCounts) {
  EXPECT_EQ(counterSum({"0"}), "0");
  EXPECT_EQ(counterSum({"0", "1", "2", "3"}), "((0+1)+(2+3))");
  EXPECT_EQ(counterSum({"0", "1", "2", "3", "4", "5", "6"}), "(((0+1)+(2+3))+((4+5)+6))");
}

TEST(Levels, ASumIsOneExpressionForAnyNumberOfRanks) {
  for (int virtualRanks = 1; virtualRanks <= 48; ++virtualRanks) {
    const std::string alone = sumOverRanks(virtualRanks, 1, 1);
    for (int each = 1; each <= virtualRanks; each *= 2)
      for (int local : {1, 2, 3, 4, 6, 8})
        if (virtualRanks % each == 0 && virtualRanks / each % local == 0)
          EXPECT_EQ(sumOverRanks(virtualRanks, virtualRanks / each, local), alone)
              << virtualRanks << " " << each << " " << local;
  }
}

TEST(Levels, RanksOfOneHostComeFirst) {
  const auto sizes = [](int ranks, int local) {
    std::vector<int> sizes;
    for (const RankLevel &level : rankLevels(ranks, local))
      sizes.push_back(level.size);
    return sizes;
  };
  EXPECT_EQ(sizes(1, 1), std::vector<int>());
  EXPECT_EQ(sizes(8, 8), std::vector<int>({8}));
  EXPECT_EQ(sizes(8, 4), std::vector<int>({4, 2}));
  EXPECT_EQ(sizes(12, 1), std::vector<int>({4, 3}));
  EXPECT_EQ(sizes(64, 8), std::vector<int>({8, 8}));
  EXPECT_EQ(sizes(1024, 8), std::vector<int>({8, 8, 8, 2}));
}

TEST(Levels, EachRowHasOneOwner) {
  for (int ranks : {1, 2, 3, 4, 6, 8, 12, 16, 24}) {
    const int64_t room = roomFor(1000, ranks, 8);
    EXPECT_EQ(room % (ranks * 8), 0);
    EXPECT_GE(room, 1000);
    std::vector<int> owners(room);
    for (int rank = 0; rank < ranks; ++rank) {
      const RowPart own = ownedRows(rankLevels(ranks, 1), rank, {0, room});
      EXPECT_EQ(own.begin % 8, 0);
      for (int64_t row = own.begin; row < own.end; ++row)
        ++owners[row];
    }
    EXPECT_EQ(std::accumulate(owners.begin(), owners.end(), 0), room);
    EXPECT_EQ(*std::max_element(owners.begin(), owners.end()), 1);
  }
}

TEST(Levels, AsManySumsPendAsTheCounterHasOnes) {
  const std::vector<int64_t> pending = {0, 1, 1, 2, 2, 2, 2, 3};
  for (int64_t count = 1; count <= 8; ++count)
    EXPECT_EQ(pendingSums(count), pending[count - 1]);
}

} // namespace
