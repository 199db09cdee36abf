// The nearest name to one that is unknown.
#include "runtime/core/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace stretto::runtime {
namespace {

const std::vector<std::string> names{"train", "compile", "explain", "data"};

TEST(NearestName, FindsOneSlipOfEachKind) {
  EXPECT_EQ(nearestOf("tran", names), "train");
  EXPECT_EQ(nearestOf("trainn", names), "train");
  EXPECT_EQ(nearestOf("troin", names), "train");
  EXPECT_EQ(nearestOf("trian", names), "train");
  EXPECT_EQ(nearestOf("com", names), "compile");
  EXPECT_EQ(editDistance("trian", "train"), 1);
}

TEST(NearestName, PrefersTheCloserOfTwo) { EXPECT_EQ(nearestOf("exlain", names), "explain"); }

TEST(NearestName, SaysNothingWhereNothingIsClose) {
  EXPECT_EQ(nearestOf("bake", names), std::nullopt);
  EXPECT_EQ(nearestOf("", names), std::nullopt);
  EXPECT_EQ(nearestOf("nope", std::vector<std::string>{"copy"}), std::nullopt); // half of it
  EXPECT_EQ(nearestOf("x", std::vector<std::string>{"y"}), std::nullopt);
  EXPECT_EQ(nearestOf("selective", std::vector<std::string>{"slice"}), std::nullopt);
  EXPECT_EQ(nearestOf("expert_values", std::vector<std::string>{"expert_sum"}), std::nullopt);
  EXPECT_EQ(nearestOf("xyz", std::vector<std::string>{"x"}), std::nullopt);
  EXPECT_EQ(nearestOf("nn", std::vector<std::string>{"n"}), "n");
  EXPECT_EQ(nearestOf("train", {}), std::nullopt);
}

} // namespace
} // namespace stretto::runtime
