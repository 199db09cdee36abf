// Keys of tokens: those of the generator, whichever tokens are asked for together.
#include "runtime/train/dropout_keys.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace stretto::runtime;

// What SplitMix64 gives from a state of 0, as published with it.
TEST(DropoutKeys, AreThoseOfTheGenerator) {
  const std::vector<int32_t> keys = dropoutKeys(0, 0, 3);
  EXPECT_EQ(static_cast<uint32_t>(keys[0]), 0xe220a839u);
  EXPECT_EQ(static_cast<uint32_t>(keys[1]), 0x6e789e6au);
  EXPECT_EQ(static_cast<uint32_t>(keys[2]), 0x06c45d18u);
}

TEST(DropoutKeys, AreOfTheTokenAlone) {
  const std::vector<int32_t> all = dropoutKeys(7, 100, 50), some = dropoutKeys(7, 130, 20);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + 30));
}

TEST(DropoutKeys, DependOnTheSeed) { EXPECT_NE(dropoutKeys(1, 0, 4), dropoutKeys(2, 0, 4)); }
