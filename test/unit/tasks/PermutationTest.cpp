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

static std::vector<uint64_t> valuesOf(const Permutation &order, uint64_t size) {
  std::vector<uint64_t> values;
  for (uint64_t i = 0; i < size; ++i)
    values.push_back(order(i));
  return values;
}

static bool isEven(const std::vector<uint64_t> &order) {
  std::vector<bool> seen(order.size());
  size_t swaps = 0;
  for (size_t i = 0; i < order.size(); ++i)
    for (size_t at = order[i]; !seen[at]; at = order[at]) {
      seen[at] = true;
      swaps += at != i;
    }
  return swaps % 2 == 0;
}

TEST(Permutation, everyPartOfTheKeyCounts) {
  auto start = [](const Permutation &order) { return valuesOf(order, 8); };
  const uint64_t big = uint64_t{1} << 40, count = 160000000;
  auto base = start(Permutation(count, 1, 2, 3));
  EXPECT_EQ(base, start(Permutation(count, 1, 2, 3)));
  for (const Permutation &other :
       {Permutation(count, 2, 2, 3), Permutation(count, 1 + big, 2, 3), Permutation(count, 1, 3, 3),
        Permutation(count, 1, 2, 4), Permutation(count, 1, 2, 3 + big)})
    EXPECT_NE(base, start(other));
}

TEST(Permutation, smallOnesAreUniform) {
  for (uint64_t seed : {9, 10, 11, 12})
    for (auto [size, orders] : {std::pair(3, 6), {4, 24}, {5, 120}}) {
      const int draws = 400 * orders;
      std::map<std::vector<uint64_t>, double> counts;
      for (int i = 0; i < draws; ++i)
        ++counts[valuesOf(Permutation(size, seed, 2, i), size)];
      ASSERT_EQ(counts.size(), size_t(orders));
      std::vector<double> observed, expected(orders, draws / double(orders));
      for (const auto &[order, count] : counts)
        observed.push_back(count);
      EXPECT_LT(chiSquare(observed, expected), orders - 1 + 4.4 * std::sqrt(orders - 1) + 6) << seed << " " << size;
    }
}

TEST(Permutation, halfOfThemAreEven) {
  for (uint64_t count : {9, 25, 225, 289}) {
    int even = 0;
    for (uint64_t i = 0; i < 400; ++i)
      even += isEven(valuesOf(Permutation(count, 3, 2, i), count));
    EXPECT_NEAR(even, 200, 45) << count;
  }
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
