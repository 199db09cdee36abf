//===- ExchangeTest.cpp - levels, bytes and messages of an exchange ---------------===//
#include "codegen/scaling/Exchange.h"
#include "runtime/dist/levels.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace stretto::codegen;

namespace {
using Sizes = std::vector<int64_t>;

TEST(Exchange, GroupsAreTheLargestPowersOfTwoUpToEightAndThenTheRest) {
  EXPECT_EQ(groupSizes(1, 1), Sizes{});
  EXPECT_EQ(groupSizes(8, 8), Sizes{8});
  EXPECT_EQ(groupSizes(64, 64), (Sizes{8, 8}));
  EXPECT_EQ(groupSizes(128, 8), (Sizes{8, 8, 2}));
  EXPECT_EQ(groupSizes(12, 12), (Sizes{4, 3}));
  EXPECT_EQ(groupSizes(15, 15), Sizes{15});
  EXPECT_EQ(groupSizes(80, 8), (Sizes{8, 2, 5}));
}

TEST(Exchange, TheRanksOfAHostComeFirst) {
  EXPECT_EQ(groupSizes(32, 2), (Sizes{2, 8, 2}));
  EXPECT_EQ(groupSizes(32, 4), (Sizes{4, 8}));
  EXPECT_EQ(groupSizes(12, 6), (Sizes{2, 2, 3})); // 3 x 2 of a host; what is no power of two comes last
}

TEST(Exchange, GroupsOfAllLevelsTogetherAreAllRanks) {
  for (int64_t ranks = 1; ranks <= 2048; ++ranks)
    for (int64_t hostRanks : {1, 2, 6, 8}) {
      const Sizes sizes = groupSizes(ranks, hostRanks);
      ASSERT_EQ(std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>()), ranks);
    }
}

TEST(Exchange, LevelsAndPartsAreThoseOfPrograms) {
  for (int ranks = 2; ranks <= 4096; ++ranks)
    for (int hostRanks = 1; hostRanks <= 8; ++hostRanks) {
      if (ranks % hostRanks != 0)
        continue;
      Sizes sizes;
      const auto levels = stretto::runtime::rankLevels(ranks, hostRanks);
      for (const stretto::runtime::RankLevel &level : levels)
        sizes.push_back(level.size);
      ASSERT_EQ(groupSizes(ranks, hostRanks), sizes) << ranks << " " << hostRanks;
      const int64_t room = stretto::runtime::roomFor(1'000'000, ranks, 64);
      const Exchange plan = planExchange(1'000'000, 64, {.ranks = ranks, .hosts = ranks / hostRanks});
      ASSERT_EQ(plan.bytes, room) << ranks;
      ASSERT_EQ(plan.bytesOwned, stretto::runtime::ownedRows(levels, ranks - 1, {0, room}).rows()) << ranks;
    }
}

TEST(Exchange, EachLevelWorksOnWhatTheOneBeforeLeft) {
  const Exchange plan = planExchange(1 << 20, 1, {.ranks = 64, .hosts = 8});
  ASSERT_EQ(plan.levels.size(), 2u);
  EXPECT_EQ(plan.levels[0].bytesHeld, 1 << 20);
  EXPECT_EQ(plan.levels[0].bytesSent, (1 << 20) / 8 * 7);
  EXPECT_EQ(plan.levels[0].messages, 7);
  EXPECT_EQ(plan.levels[1].bytesHeld, (1 << 20) / 8);
  EXPECT_EQ(plan.levels[1].bytesSent, (1 << 20) / 64 * 7);
  EXPECT_EQ(plan.bytesOwned, (1 << 20) / 64);
}

TEST(Exchange, RanksSendAsMuchAsInAnyScatter) {
  for (int64_t ranks : {2, 3, 6, 24, 40, 1024}) {
    const Exchange plan = planExchange(ranks * 1000, 1, {.ranks = ranks, .hosts = ranks % 2 == 0 ? 2 : 1});
    int64_t sent = 0;
    for (const ExchangeLevel &level : plan.levels)
      sent += level.bytesSent;
    EXPECT_EQ(sent, (ranks - 1) * 1000) << ranks;
  }
}

TEST(Exchange, WhatIsNotWithinOneHostCrossesHosts) {
  auto crossing = [](const RankShape &shape) {
    std::vector<bool> levels;
    for (const ExchangeLevel &level : planExchange(1200, 1, shape).levels)
      levels.push_back(level.crossesHosts);
    return levels;
  };
  EXPECT_EQ(crossing({.ranks = 16, .hosts = 2}), (std::vector<bool>{false, true}));
  EXPECT_EQ(crossing({.ranks = 12, .hosts = 1}), (std::vector<bool>{false, false}));
  EXPECT_EQ(crossing({.ranks = 12, .hosts = 2}), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(crossing({.ranks = 2, .hosts = 2}), std::vector<bool>{true});
}

TEST(Exchange, PiecesAreNotCut) {
  const Exchange plan = planExchange(9 * 2048 + 1, 2048, {.ranks = 4, .hosts = 1});
  EXPECT_EQ(plan.bytesOwned, 3 * 2048);
  EXPECT_EQ(plan.bytes, 12 * 2048);
}

TEST(Exchange, OneRankSendsNothing) {
  const Exchange plan = planExchange(1000, 300, {});
  EXPECT_TRUE(plan.levels.empty());
  EXPECT_EQ(plan.bytesOwned, 1000);
}

/// Adds as a binary counter does, and looks how many sums wait at most beside the one that comes.
int64_t pendingOfCounter(int64_t virtualRanks) {
  std::vector<int64_t> blocks; // sizes of sums that wait
  size_t most = 0;
  for (int64_t i = 0; i < virtualRanks; ++i) {
    most = std::max(most, blocks.size());
    int64_t size = 1;
    for (; !blocks.empty() && blocks.back() == size; size *= 2)
      blocks.pop_back();
    blocks.push_back(size);
  }
  return static_cast<int64_t>(most);
}

TEST(Exchange, PendingGradientsAreThoseOfABinaryCounter) {
  EXPECT_EQ(pendingLevels(8), 3);
  for (int64_t virtualRanks = 1; virtualRanks <= 96; ++virtualRanks) {
    EXPECT_EQ(pendingLevels(virtualRanks), pendingOfCounter(virtualRanks)) << virtualRanks;
    EXPECT_EQ(pendingLevels(virtualRanks), stretto::runtime::pendingSums(virtualRanks)) << virtualRanks;
  }
}
} // namespace
