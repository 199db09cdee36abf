// Schedules of the learning rate.
#include "runtime/train/schedule.h"

#include "runtime/core/error.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace stretto;
using namespace stretto::runtime;

TEST(Schedule, WarmsUpFromTheFirstStep) {
  const Schedule schedule{2, 4, 100, Decay::Constant, 0};
  EXPECT_DOUBLE_EQ(schedule.rate(1), 0.5);
  EXPECT_DOUBLE_EQ(schedule.rate(3), 1.5);
  EXPECT_DOUBLE_EQ(schedule.rate(4), 2);
  EXPECT_DOUBLE_EQ(schedule.rate(100), 2);
}

TEST(Schedule, LinearDecayEndsAtTheFinalFraction) {
  const Schedule schedule{1, 10, 110, Decay::Linear, 0.2};
  EXPECT_DOUBLE_EQ(schedule.rate(10), 1);
  EXPECT_DOUBLE_EQ(schedule.rate(60), 0.6);
  EXPECT_DOUBLE_EQ(schedule.rate(110), 0.2);
  EXPECT_DOUBLE_EQ(schedule.rate(500), 0.2);
}

TEST(Schedule, CosineDecayIsHalfWayInTheMiddle) {
  const Schedule schedule{1, 0, 100, Decay::Cosine, 0.1};
  EXPECT_NEAR(schedule.rate(50), 0.55, 1e-12);
  EXPECT_NEAR(schedule.rate(25), 0.1 + 0.9 * 0.5 * (1 + std::sqrt(0.5)), 1e-12);
  EXPECT_NEAR(schedule.rate(100), 0.1, 1e-12);
}

TEST(Schedule, ACooldownKeepsTheRateUntilItsFirstStep) {
  const Schedule linear{1, 10, 110, Decay::Linear, 0.2, 0.4};
  EXPECT_DOUBLE_EQ(linear.rate(5), 0.5);
  EXPECT_DOUBLE_EQ(linear.rate(10), 1);
  EXPECT_DOUBLE_EQ(linear.rate(70), 1);
  EXPECT_DOUBLE_EQ(linear.rate(90), 0.6);
  EXPECT_DOUBLE_EQ(linear.rate(110), 0.2);
  const Schedule root{2, 0, 100, Decay::OneMinusSqrt, 0, 0.25};
  EXPECT_DOUBLE_EQ(root.rate(75), 2);
  EXPECT_NEAR(root.rate(84), 2 * (1 - 0.6), 1e-12);
  EXPECT_DOUBLE_EQ(root.rate(100), 0);
  const Schedule none{1, 10, 110, Decay::Cosine, 0.2, 0};
  EXPECT_DOUBLE_EQ(none.rate(110), 1);
}

TEST(Schedule, UnknownNamesAreRefusedWithTheNearest) {
  EXPECT_EQ(decayFromName("linear"), Decay::Linear);
  try {
    decayFromName("cosin");
    FAIL();
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(),
                 "a schedule must be one of constant, linear, cosine, 1-sqrt, but got 'cosin'; did you mean 'cosine'?");
  }
}
