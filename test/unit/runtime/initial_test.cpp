// Initial values of weights: their distributions, which depend on names and elements alone.
#include "runtime/train/initial.h"

#include "test/unit/runtime/small.h"

#include <cmath>
#include <tuple>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

struct Moments {
  double mean = 0, variance = 0, low = 1e9, high = -1e9;
};

double itself(double x) { return x; }

// Of a function of the values.
Moments momentsOf(const stretto_parameter &parameter, int64_t count, double (*function)(double) = itself) {
  Moments m;
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double value = function(initialValue(parameter, 7, parameterNameHash(parameter.name), i));
    m.mean += value / count, squares += value * value / count;
    m.low = std::min(m.low, value), m.high = std::max(m.high, value);
  }
  m.variance = squares - m.mean * m.mean;
  return m;
}

constexpr int64_t many = 200000;

} // namespace

TEST(Initial, NormalHasItsMoments) {
  const Moments m = momentsOf({"w", 0, {}, 1, 1, STRETTO_INIT_NORMAL, 0, 0.5, 0.02, 1, 1, ""}, many);
  EXPECT_NEAR(m.mean, 0.5, 3e-4);
  EXPECT_NEAR(std::sqrt(m.variance), 0.02, 2e-4);
  EXPECT_GT(m.high, 0.5 + 3.5 * 0.02);
}

TEST(Initial, UniformFillsItsRange) {
  const Moments m = momentsOf({"w", 0, {}, 1, 1, STRETTO_INIT_UNIFORM, 0, -1, 3, 1, 1, ""}, many);
  EXPECT_NEAR(m.mean, 1, 0.02);
  EXPECT_NEAR(m.variance, 16.0 / 12, 0.02);
  EXPECT_GE(m.low, -1);
  EXPECT_LE(m.high, 3);
}

// The variance of a normal cut at 2 standard deviations is 0.7737 (Johnson, Kotz, Balakrishnan, 1994).
TEST(Initial, TruncatedNormalStaysInsideItsBound) {
  const Moments m = momentsOf({"w", 0, {}, 1, 1, STRETTO_INIT_TRUNCATED_NORMAL, 0, 0.1, 2, 1, 1, ""}, many);
  EXPECT_LE(m.high, 0.2);
  EXPECT_GE(m.low, -0.2);
  EXPECT_NEAR(m.variance, 0.7737 * 0.01, 1e-4);
}

// -ln of a uniform number in (0, 1) is exponential: mean 1, variance 1.
TEST(Initial, LogOfUniformHasTheMomentsOfAnExponential) {
  const Moments m = momentsOf({"w", 0, {}, 1, 1, STRETTO_INIT_LOG_OF_UNIFORM, 0, 0, 16, 1, 1, ""}, many);
  EXPECT_NEAR(m.mean, std::log(16) - 1, 0.02);
  EXPECT_NEAR(m.variance, 1, 0.03);
  EXPECT_LE(m.high, std::log(16));
  EXPECT_LT(m.low, std::log(16) - 8);
}

TEST(Initial, ExponentialsOfALogOfUniformFillItsRange) {
  const stretto_parameter parameter{"w", 0, {}, 1, 1, STRETTO_INIT_LOG_OF_UNIFORM, 0, 1, 4, 1, 1, ""};
  const Moments m = momentsOf(parameter, many, [](double x) { return std::exp(x); });
  EXPECT_NEAR(m.mean, 2.5, 0.02);
  EXPECT_NEAR(m.variance, 9.0 / 12, 0.02);
  EXPECT_NEAR(m.low, 1, 1e-3);
  EXPECT_NEAR(m.high, 4, 1e-3);
}

TEST(Initial, SoftplusOfAStepBiasIsUniformInItsLogarithm) {
  const stretto_parameter parameter{"w", 0, {}, 1, 1, STRETTO_INIT_STEP_BIAS, 0, 0.001, 0.1, 1, 1, ""};
  const Moments m = momentsOf(parameter, many, [](double x) { return std::log(std::log1p(std::exp(x))); });
  EXPECT_NEAR(m.mean, std::log(0.01), 0.02);
  EXPECT_NEAR(m.variance, std::log(100) * std::log(100) / 12, 0.02);
  EXPECT_NEAR(m.low, std::log(0.001), 1e-3);
  EXPECT_NEAR(m.high, std::log(0.1), 1e-3);
}

TEST(Initial, OfLargeStepsIsTheStep) {
  const stretto_parameter parameter{"w", 0, {}, 1, 1, STRETTO_INIT_STEP_BIAS, 0, 1000, 2000, 1, 1, ""};
  const Moments m = momentsOf(parameter, 100);
  EXPECT_GT(m.low, 999);
  EXPECT_LT(m.high, 2001);
}

TEST(Initial, WhatHasNoValuesIsAnError) {
  const auto errorOfInit = [](int32_t kind, double a, double b) {
    stretto_parameter parameter{"w", 0, {2, 0, 0, 0}, 1, 1, kind, 0, a, b, 1, 1, ""};
    SmallProgram program;
    program.program.parameters = &parameter;
    program.program.parameter_count = 1;
    return errorOf([&] { initialiseParameters(program.state(), 1); });
  };
  EXPECT_EQ(errorOfInit(STRETTO_INIT_LOG_OF_UNIFORM, 0, 1), "");
  EXPECT_EQ(errorOfInit(STRETTO_INIT_STEP_BIAS, 1, 2), "");
  EXPECT_EQ(errorOfInit(STRETTO_INIT_LOG_OF_UNIFORM, -0.5, 1.5),
            "the initialisation of 'w' must be one the runtime knows, but got kind 4 with -0.5, 1.5");
  for (const auto &[kind, a, b] :
       {std::tuple(STRETTO_INIT_LOG_OF_UNIFORM, 1.0, 1.0), std::tuple(STRETTO_INIT_STEP_BIAS, 0.0, 1.0),
        std::tuple(STRETTO_INIT_STEP_BIAS, 2.0, 1.0), std::tuple(STRETTO_INIT_TRUNCATED_NORMAL, 1.0, 0.0)})
    EXPECT_NE(errorOfInit(kind, a, b), "") << kind << ' ' << a << ' ' << b;
  EXPECT_NE(errorOfInit(-1, 0, 1), "");
  EXPECT_NE(errorOfInit(STRETTO_INIT_STEP_BIAS + 1, 1, 2), "");
}

TEST(Initial, NeighboursAndParametersAreIndependent) {
  const stretto_parameter a{"a", 0, {}, 1, 1, STRETTO_INIT_NORMAL, 0, 0, 1, 1, 1, ""};
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
  const stretto_table half{STRETTO_TABLE_ROTARY_SIN, 0, 0, 8, 6, 4, 100, nullptr};
  EXPECT_DOUBLE_EQ(tableValue(half, 3, 0), -std::sin(3.0));
  EXPECT_DOUBLE_EQ(tableValue(half, 3, 2), std::sin(3.0));
  EXPECT_DOUBLE_EQ(tableValue(half, 3, 1), -std::sin(0.3)); // 100^(-2/4) = 1/10
  EXPECT_DOUBLE_EQ(tableValue(half, 3, 5), 0);
  const stretto_table pairs{STRETTO_TABLE_ROTARY_COS, 1, 0, 8, 6, 4, 100, nullptr};
  EXPECT_DOUBLE_EQ(tableValue(pairs, 3, 1), std::cos(3.0));
  EXPECT_DOUBLE_EQ(tableValue(pairs, 3, 2), std::cos(0.3));
  EXPECT_DOUBLE_EQ(tableValue(pairs, 3, 4), 1);
  const stretto_table sines{STRETTO_TABLE_ROTARY_SIN, 1, 0, 8, 6, 4, 100, nullptr};
  EXPECT_DOUBLE_EQ(tableValue(sines, 3, 2), -std::sin(0.3));
  EXPECT_DOUBLE_EQ(tableValue(sines, 3, 3), std::sin(0.3));
}

TEST(Initial, TablesOfNumbers) {
  const double numbers[] = {1.5, -2, 0.1};
  const stretto_table table{STRETTO_TABLE_NUMBERS, 0, 0, 3, 16, 0, 0, numbers};
  EXPECT_EQ(tableValue(table, 1, 0), -2);
  EXPECT_EQ(tableValue(table, 2, 15), 0.1);
}
