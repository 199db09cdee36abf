// The nearest name to one that is unknown.
#include "tools/stretto/error.h"

#include <gtest/gtest.h>

#include <vector>

namespace stretto::tools {
namespace {

const std::vector<std::string> names{"train", "compile", "explain", "data"};

TEST(NearestName, FindsOneSlipOfEachKind) {
  EXPECT_EQ(nearestName("tran", names), "train");
  EXPECT_EQ(nearestName("trainn", names), "train");
  EXPECT_EQ(nearestName("troin", names), "train");
  EXPECT_EQ(nearestName("trian", names), "train");
}

TEST(NearestName, PrefersTheCloserOfTwo) { EXPECT_EQ(nearestName("exlain", names), "explain"); }

TEST(NearestName, SaysNothingWhereNothingIsClose) {
  EXPECT_EQ(nearestName("bake", names), "");
  EXPECT_EQ(nearestName("", names), "");
  EXPECT_EQ(nearestName("train", {}), "");
}

} // namespace
} // namespace stretto::tools
