// Whether counts look as if drawn from given weights.
#pragma once

#include "Support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace stretto::test {

// Expects counts drawn from the given weights; fails for fewer than one of 1000 fair draws (see chiSquare). Values that
// are expected fewer than ten times are taken together.
template <typename Value>
void expectFair(const std::map<Value, double> &counts, const std::map<Value, double> &weights) {
  double total = 0, weightSum = 0, rareSeen = 0, rareExpected = 0;
  for (const auto &[value, count] : counts) {
    EXPECT_TRUE(weights.contains(value)) << "a value that should not occur, " << count << " times";
    total += count;
  }
  for (const auto &[value, weight] : weights)
    weightSum += weight;
  std::vector<double> observed, expected;
  for (const auto &[value, weight] : weights) {
    const double seen = counts.contains(value) ? counts.at(value) : 0, should = total * weight / weightSum;
    if (should < 10) {
      rareSeen += seen;
      rareExpected += should;
      continue;
    }
    observed.push_back(seen);
    expected.push_back(should);
  }
  if (rareExpected >= 10) {
    observed.push_back(rareSeen);
    expected.push_back(rareExpected);
  }
  ASSERT_GE(observed.size(), 2u);
  const double freedom = double(observed.size()) - 1;
  EXPECT_LT(chiSquare(observed, expected), freedom + 4.4 * std::sqrt(freedom) + 6);
}

// The same where all `values` are equally likely.
template <typename Value> std::map<Value, double> equalWeights(Value low, Value high) {
  std::map<Value, double> weights;
  for (Value value = low; value <= high; ++value)
    weights[value] = 1;
  return weights;
}

} // namespace stretto::test
