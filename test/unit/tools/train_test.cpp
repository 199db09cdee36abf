#include "tools/stretto/train.h"

#include "tools/stretto/error.h"

#include <gtest/gtest.h>

namespace stretto {
namespace {

using Words = std::vector<std::string>;

TrainArguments split(const Words &words) { return splitTrainArguments(words); }

TEST(SplitTrainArguments, SendsEachOptionToItsReader) {
  TrainArguments result = split({"--steps", "5", "m.stretto", "--set", "dim=8", "--dtype=f64", "--seed=1"});
  EXPECT_EQ(result.spec, "m.stretto");
  EXPECT_EQ(result.compiler, (Words{"--set", "dim=8", "--dtype=f64"}));
  EXPECT_EQ(result.program, (Words{"--steps", "5", "--seed=1"}));
}

TEST(SplitTrainArguments, SendsTheTaskToBoth) {
  TrainArguments result = split({"m.stretto", "--task", "depo1", "--task-set=n=10"});
  EXPECT_EQ(result.compiler, (Words{"--task", "depo1", "--task-set=n=10"}));
  EXPECT_EQ(result.program, (Words{"--task", "depo1", "--task-set=n=10"}));
}

TEST(SplitTrainArguments, LeavesWhatFollowsTwoDashesToTheProgram) {
  TrainArguments result = split({"m.stretto", "--", "--dtype", "x"});
  EXPECT_TRUE(result.compiler.empty());
  EXPECT_EQ(result.program, (Words{"--dtype", "x"}));
}

TEST(SplitTrainArguments, TakesTheFirstSpecOnly) {
  TrainArguments result = split({"a.stretto", "b.stretto"});
  EXPECT_EQ(result.spec, "a.stretto");
  EXPECT_EQ(result.program, Words{"b.stretto"});
}

TEST(SplitTrainArguments, RefusesAMissingSpecOrValue) {
  EXPECT_THROW(split({"--steps", "5"}), CommandError);
  EXPECT_THROW(split({"m.stretto", "--set"}), CommandError);
}

} // namespace
} // namespace stretto
