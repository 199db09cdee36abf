// Confidence intervals of scores.
#include "runtime/train/score.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace stretto;
using namespace stretto::runtime;

// The ends x of Wilson's interval are where the share p lies 1.96 standard errors of x away: |p - x| = z
// sqrt(x(1-x)/n).
TEST(Score, sharesHaveWilsonsInterval) {
  for (auto [right, total] : {std::pair{37, 40}, {0, 10}, {10, 10}, {1, 3}}) {
    const double p = double(right) / total;
    const Interval interval = Score::share("a", right, total).interval();
    EXPECT_LT(interval.low, interval.high);
    for (double x : {interval.low, interval.high})
      if (std::abs(x - p) > 1e-12) {
        EXPECT_NEAR(std::abs(p - x), 1.959963985 * std::sqrt(x * (1 - x) / total), 1e-9) << right << " of " << total;
      }
  }
  EXPECT_NEAR(Score::share("a", 0, 10).interval().low, 0, 1e-15);
}

TEST(Score, meansHaveStandardErrors) {
  Score score = Score::mean("nll", "nats");
  for (double number : {1.0, 2.0, 3.0, 6.0})
    score.addNumber(number);
  EXPECT_EQ(score.result(), 3);
  // Sample variance 14/3, standard error sqrt(14/12).
  EXPECT_NEAR(score.interval().high - 3, 1.959964 * 1.0801234, 1e-5);
  EXPECT_NEAR(3 - score.interval().low, 1.959964 * 1.0801234, 1e-5);
}

TEST(Score, partsAddUp) {
  Score all = Score::share("a"), rest = Score::share("a", 1, 1);
  all.addInstance(true);
  all.addInstance(false);
  all.merge(rest);
  EXPECT_EQ(all.right(), 2);
  EXPECT_EQ(all.count, 3);
  EXPECT_EQ(Score::share("empty").result(), 0);
  EXPECT_EQ(Score::value("bits", "bits", 5).interval().low, 5);
}
