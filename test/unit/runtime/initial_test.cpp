#include "runtime/train/initial.h"

#include "test/unit/runtime/small.h"

#include <cmath>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

struct Moments {
  double mean = 0, variance = 0, low = 1e9, high = -1e9;
};

Moments momentsOf(const stretto_parameter &parameter, int64_t count) {
  Moments m;
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double value = initialValue(parameter, 7, parameterNameHash(parameter.name), i);
    m.mean += value / count, squares += value * value / count;
    m.low = std::min(m.low, value), m.high = std::max(m.high, value);
  }
  m.variance = squares - m.mean * m.mean;
  return m;
}

constexpr int64_t many = 200000;

} // namespace

TEST(Initial, NormalHasItsMoments) {
  const Moments m = momentsOf({"w", 0, {}, 1, 1, STRETTO_INIT_NORMAL, 0, 0.5, 0.02, ""}, many);
  EXPECT_NEAR(m.mean, 0.5, 3e-4);
  EXPECT_NEAR(std::sqrt(m.variance), 0.02, 2e-4);
  EXPECT_GT(m.high, 0.5 + 3.5 * 0.02);
}

TEST(Initial, UniformFillsItsRange) {
  const Moments m = momentsOf({"w", 0, {}, 1, 1, STRETTO_INIT_UNIFORM, 0, -1, 3, ""}, many);
  EXPECT_NEAR(m.mean, 1, 0.02);
  EXPECT_NEAR(m.variance, 16.0 / 12, 0.02);
  EXPECT_GE(m.low, -1);
  EXPECT_LE(m.high, 3);
}

// The variance of a normal cut at 2 standard deviations is 0.7737 (Johnson, Kotz, Balakrishnan, 1994).
TEST(Initial, TruncatedNormalStaysInsideItsBound) {
  const Moments m = momentsOf({"w", 0, {}, 1, 1, STRETTO_INIT_TRUNCATED_NORMAL, 0, 0.1, 2, ""}, many);
  EXPECT_LE(m.high, 0.2);
  EXPECT_GE(m.low, -0.2);
  EXPECT_NEAR(m.variance, 0.7737 * 0.01, 1e-4);
}

TEST(Initial, NeighboursAndParametersAreIndependent) {
  const stretto_parameter a{"a", 0, {}, 1, 1, STRETTO_INIT_NORMAL, 0, 0, 1, ""};
  double neighbours = 0, names = 0;
  for (int64_t i = 0; i < many; ++i) {
    const double value = initialValue(a, 7, parameterNameHash("a"), i);
    neighbours += value * initialValue(a, 7, parameterNameHash("a"), i + 1) / many;
    names += value * initialValue(a, 7, parameterNameHash("b"), i) / many;
  }
  EXPECT_NEAR(neighbours, 0, 0.01);
  EXPECT_NEAR(names, 0, 0.01);
}

TEST(Initial, ValuesDependOnNameAndElementNotOnPlaceOrThreads) {
  SmallProgram program;
  program.device->setThreads(3);
  initialiseParameters(program.state(), 11);
  const auto got = program.values(STRETTO_ARENA_PARAMETERS);
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(got[i], static_cast<float>(initialValue(program.program.parameters[0], 11, parameterNameHash("a"), i)));
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(got[16 + i],
              static_cast<float>(initialValue(program.program.parameters[1], 11, parameterNameHash("b"), i)));
  EXPECT_EQ(got[32], 2);
  const auto again = initialValue(program.program.parameters[0], 12, parameterNameHash("a"), 0);
  EXPECT_NE(static_cast<float>(again), got[0]);
}

TEST(Initial, RotaryTables) {
  const stretto_table half{STRETTO_TABLE_ROTARY_SIN, 0, 0, 8, 6, 4, 100};
  EXPECT_DOUBLE_EQ(tableValue(half, 3, 0), -std::sin(3.0));
  EXPECT_DOUBLE_EQ(tableValue(half, 3, 2), std::sin(3.0));
  EXPECT_DOUBLE_EQ(tableValue(half, 3, 1), -std::sin(0.3)); // 100^(-2/4) = 1/10
  EXPECT_DOUBLE_EQ(tableValue(half, 3, 5), 0);
  const stretto_table pairs{STRETTO_TABLE_ROTARY_COS, 1, 0, 8, 6, 4, 100};
  EXPECT_DOUBLE_EQ(tableValue(pairs, 3, 1), std::cos(3.0));
  EXPECT_DOUBLE_EQ(tableValue(pairs, 3, 2), std::cos(0.3));
  EXPECT_DOUBLE_EQ(tableValue(pairs, 3, 4), 1);
  const stretto_table sines{STRETTO_TABLE_ROTARY_SIN, 1, 0, 8, 6, 4, 100};
  EXPECT_DOUBLE_EQ(tableValue(sines, 3, 2), -std::sin(0.3));
  EXPECT_DOUBLE_EQ(tableValue(sines, 3, 3), std::sin(0.3));
}
