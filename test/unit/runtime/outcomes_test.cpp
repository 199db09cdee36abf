// What ranks are told of work that failed on some of them.
#include "runtime/dist/outcomes.h"

#include "test/support/memory_group.h"
#include "test/unit/runtime/small.h"

using namespace stretto::runtime;
using namespace stretto::test;

namespace {

// What each of three ranks is told when each does this.
std::vector<std::string> errorsOf(const std::function<std::string(int rank)> &work) {
  std::vector<std::string> errors(3);
  onRanks(3, [&](int rank, Group &group) {
    errors[rank] = errorOf([&] { gatherOutcomes(group, [&] { return work(rank); }); });
    barrier(group); // none is left behind
  });
  return errors;
}

std::string fail(const std::string &text) { throw Error(text); }

} // namespace

TEST(Outcomes, AllGetWhatAllGave) {
  onRanks(3, [](int rank, Group &group) {
    const auto texts = gatherOutcomes(group, [&] { return std::string(rank, 'x'); });
    EXPECT_EQ(texts, (std::vector<std::string>{"", "x", "xx"}));
    EXPECT_EQ(outcomeOfFirst(group, [&] { return std::to_string(rank); }), "0");
  });
}

TEST(Outcomes, AFailureIsToldToAllWithTheFirstThatFailed) {
  const std::vector<std::string> one = errorsOf([](int rank) { return rank == 2 ? fail("full") : ""; });
  EXPECT_EQ(one, std::vector<std::string>(3, "rank 2: full"));
  const std::vector<std::string> two = errorsOf([](int rank) { return rank ? fail(std::to_string(rank)) : ""; });
  EXPECT_EQ(two, std::vector<std::string>(3, "rank 1: 1"));
  const std::vector<std::string> other = errorsOf([](int rank) {
    if (rank == 1)
      throw std::bad_alloc();
    return "";
  });
  EXPECT_EQ(other, std::vector<std::string>(3, "rank 1: std::bad_alloc"));
}

TEST(Outcomes, WhatFailsAlikeOnAllIsToldPlainly) {
  EXPECT_EQ(errorsOf([](int) { return fail("full"); }), std::vector<std::string>(3, "full"));
  EXPECT_EQ(errorOf([] { gatherOutcomes(alone(), [] { return fail("full"); }); }), "full");
  onRanks(3, [](int, Group &group) {
    EXPECT_EQ(errorOf([&] { outcomeOfFirst(group, [] { return fail("full"); }); }), "full");
  });
}

TEST(Outcomes, TextsArePackedWhateverTheyHold) {
  for (const std::vector<std::string> &texts :
       {std::vector<std::string>{}, {""}, {"", ""}, {"3:abc", std::string("\0:\n", 3), "1"}})
    EXPECT_EQ(unpackTexts(packTexts(texts)), texts);
}
