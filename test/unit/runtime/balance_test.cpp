// Who is slow among ranks, and when that is told.
#include "runtime/train/balance.h"

#include <gtest/gtest.h>

using namespace stretto::runtime;

namespace {

TEST(Balance, TheSlowestIsComparedWithTheMedian) {
  const Balance::Step step = Balance::of({1, 1, 1.5, 1});
  EXPECT_EQ(step.slowest, 2);
  EXPECT_EQ(step.seconds, 1.5);
  EXPECT_EQ(step.imbalance, 0.5);
  EXPECT_EQ(Balance::of({2, 2}).imbalance, 0);
}

TEST(Balance, ASlowRankIsToldOnceAfterFiftyStepsInARow) {
  Balance balance;
  const Balance::Step slow{2, 1.5, 0.5}, even{0, 1, 0.01};
  for (int i = 0; i < 49; ++i)
    EXPECT_FALSE(balance.add(slow));
  EXPECT_FALSE(balance.add(even)); // it counts anew
  int told = 0;
  for (int i = 0; i < 500; ++i)
    told += balance.add(slow).has_value();
  EXPECT_EQ(told, 1);
}

} // namespace
