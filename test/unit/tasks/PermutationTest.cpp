// Keyed permutations of numbers.
#include "tasks/common/permutation.h"

#include "Support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;
using namespace stretto::test;

TEST(Permutation, hitsEveryNumberOnce) {
  for (uint64_t count : {1, 2, 3, 4, 5, 10, 16, 17, 99, 1000, 4097, 100000}) {
    Permutation order(count, 3, 4, 5);
    std::vector<bool> seen(count);
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t value = order(i);
      ASSERT_LT(value, count);
      ASSERT_FALSE(seen[value]);
      seen[value] = true;
    }
  }
}

TEST(Permutation, everyPartOfTheKeyCounts) {
  auto start = [](const Permutation &order) {
    std::vector<uint64_t> values;
    for (uint64_t i = 0; i < 8; ++i)
      values.push_back(order(i));
    return values;
  };
  const uint64_t big = uint64_t{1} << 40, count = 160000000;
  auto base = start(Permutation(count, 1, 2, 3));
  EXPECT_EQ(base, start(Permutation(count, 1, 2, 3)));
  for (const Permutation &other :
       {Permutation(count, 2, 2, 3), Permutation(count, 1 + big, 2, 3), Permutation(count, 1, 3, 3),
        Permutation(count, 1, 2, 4), Permutation(count, 1, 2, 3 + big)})
    EXPECT_NE(base, start(other));
}

TEST(Permutation, smallOnesAreUniform) {
  const int draws = 24000;
  std::map<std::vector<uint64_t>, double> counts;
  for (int i = 0; i < draws; ++i) {
    Permutation order(4, 9, 2, uint64_t(i));
    ++counts[{order(0), order(1), order(2), order(3)}];
  }
  ASSERT_EQ(counts.size(), 24u);
  std::vector<double> observed, expected(24, draws / 24.0);
  for (const auto &[order, count] : counts)
    observed.push_back(count);
  EXPECT_LT(chiSquare(observed, expected), 23 + 4.4 * std::sqrt(23) + 6);
}

// Neighbours go to unrelated places: the differences modulo the count are uniform.
TEST(Permutation, neighboursPart) {
  const uint64_t count = 100003;
  Permutation order(count, 1, 2, 3);
  std::vector<double> observed(100), expected(100, double(count - 1) / 100);
  for (uint64_t i = 0; i + 1 < count; ++i)
    ++observed[(order(i + 1) + count - order(i)) % count * 100 / count];
  EXPECT_LT(chiSquare(observed, expected), 99 + 4.4 * std::sqrt(99) + 6);
}
