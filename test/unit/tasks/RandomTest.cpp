// Random draws of tasks.
#include "tasks/common/random.h"

#include <gtest/gtest.h>

#include <map>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;

TEST(Random, everyPartOfTheKeyCounts) {
  uint64_t base = Random(1, 0, 2).next64();
  EXPECT_EQ(base, Random(1, 0, 2).next64());
  EXPECT_NE(base, Random(2, 0, 2).next64());
  EXPECT_NE(base, Random(1 | uint64_t{1} << 40, 0, 2).next64());
  EXPECT_NE(base, Random(1, 1, 2).next64());
  EXPECT_NE(base, Random(1, 0, 3).next64());
  EXPECT_NE(base, Random(1, 0, 2 | uint64_t{1} << 40).next64());
}

// With a bound of 3 * 2^30 a draw without rejection hits the values 0, 4, 8, ... twice as often.
TEST(Random, belowIsUnbiased) {
  Random random(7, 0, 0);
  const uint64_t bound = uint64_t{3} << 30;
  const int draws = 120000;
  int counts[3] = {};
  for (int i = 0; i < draws; ++i) {
    uint64_t value = random.below(bound);
    ASSERT_LT(value, bound);
    ++counts[value % 3];
  }
  double chiSquare = 0;
  for (int count : counts)
    chiSquare += (count - draws / 3.0) * (count - draws / 3.0) / (draws / 3.0);
  EXPECT_LT(chiSquare, 13.8); // 2 degrees of freedom, p = 0.001
}

TEST(Random, belowCoversLargeBounds) {
  Random random(7, 0, 1);
  const uint64_t bound = uint64_t{3} << 62;
  int upper = 0;
  for (int i = 0; i < 30000; ++i) {
    uint64_t value = random.below(bound);
    ASSERT_LT(value, bound);
    upper += value >= uint64_t{1} << 63;
  }
  EXPECT_NEAR(upper, 10000, 400); // a third; 400 is 4.9 standard deviations
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, shuffleIsUniform) {
  const int draws = 24000;
  std::map<std::array<int, 4>, int> counts;
  for (int i = 0; i < draws; ++i) {
    Random random(3, 0, uint64_t(i));
    std::array<int, 4> items = {0, 1, 2, 3};
    random.shuffle(std::span<int>(items));
    ++counts[items];
  }
  ASSERT_EQ(counts.size(), 24u);
  double chiSquare = 0;
  for (const auto &[order, count] : counts)
    chiSquare += (count - draws / 24.0) * (count - draws / 24.0) / (draws / 24.0);
  EXPECT_LT(chiSquare, 49.7); // 23 degrees of freedom, p = 0.001
}
