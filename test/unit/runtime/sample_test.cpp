// Sampling of the next token.
#include "runtime/generate/sample.h"
#include "test/unit/runtime/small.h"

#include <cmath>
#include <numeric>

using namespace stretto;
using namespace stretto::runtime;

TEST(Sample, ColdTakesTheSmallestOfTheLikeliest) {
  EXPECT_EQ(drawToken(std::vector<double>{0, 3, 1, 3}, 0, {}), 1);
  EXPECT_EQ(drawToken(std::vector<double>{-1e300}, 0, {}), 0);
}

TEST(Sample, WhatIsNoDistributionIsAnError) {
  for (double temperature : {0., 1.})
    for (double score : {double(NAN), double(INFINITY)}) {
      EXPECT_THROW(drawToken(std::vector<double>{0, score, 1}, temperature, {}), Error);
      EXPECT_THROW(drawToken(std::vector<double>{score, 0, 1}, temperature, {}), Error);
    }
  EXPECT_THROW(drawToken(std::vector<double>{-INFINITY, -INFINITY}, 1, {}), Error);
  EXPECT_EQ(drawToken(std::vector<double>{-INFINITY, 0}, 1, {}), 1);
}

// Chi-square with 3 degrees of freedom; 16.3 is exceeded in one of 1000 fair cases.
TEST(Sample, SharesFollowTheTemperature) {
  const std::vector<double> scores = {500.0, 501.0, 499.5, 498.0};
  for (double temperature : {0.5, 1.0, 3.0}) {
    const int draws = 40000;
    std::vector<double> counts(4), weights;
    for (int i = 0; i < draws; ++i)
      counts[drawToken(scores, temperature, {7, static_cast<uint64_t>(i / 10), static_cast<uint32_t>(i % 10)})] += 1;
    for (double score : scores)
      weights.push_back(std::exp((score - 500) / temperature));
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    double chiSquare = 0;
    for (int token = 0; token < 4; ++token) {
      const double expected = draws * weights[token] / total;
      chiSquare += (counts[token] - expected) * (counts[token] - expected) / expected;
    }
    EXPECT_LT(chiSquare, 16.3) << "at temperature " << temperature;
  }
}

TEST(Sample, PlacesDrawDifferently) {
  const std::vector<double> flat(1000000);
  const int32_t base = drawToken(flat, 1, {1, 2, 3});
  EXPECT_EQ(base, drawToken(flat, 1, {1, 2, 3}));
  EXPECT_NE(base, drawToken(flat, 1, {9, 2, 3}));
  EXPECT_NE(base, drawToken(flat, 1, {1, 9, 3}));
  EXPECT_NE(base, drawToken(flat, 1, {1, 2, 9}));
}
