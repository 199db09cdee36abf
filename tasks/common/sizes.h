// The distribution of instance sizes in training.
#pragma once

#include "tasks/common/random.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stretto::tasks {

// Sizes n = low .. high with p(n) proportional to 1 / (n + sqrt(high)): small instances are frequent, large
// ones never rare (paper, section on Depo and Brevo).
class SizeDistribution {
public:
  SizeDistribution(int64_t low, int64_t high) : low(low) {
    double sum = 0;
    for (int64_t n = low; n <= high; ++n)
      cumulative.push_back(sum += 1 / (double(n) + std::sqrt(double(high))));
  }

  int64_t draw(Random &random) const {
    double point = random.uniform() * cumulative.back();
    auto found = std::upper_bound(cumulative.begin(), cumulative.end() - 1, point);
    return low + (found - cumulative.begin());
  }

private:
  int64_t low;
  std::vector<double> cumulative;
};

} // namespace stretto::tasks
