// Statistics of a few numbers: their median, and how sure one can be of their mean.
#include "runtime/runs/statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace stretto::runtime {

// The mass of Student's distribution in -t..t: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 (odd
// degrees of freedom) and 26.7.4 (even ones), finite sums.
static double studentMass(double t, int64_t freedom) {
  const double angle = std::atan(t / std::sqrt(double(freedom))), sine = std::sin(angle), cosine = std::cos(angle);
  const bool odd = freedom % 2 == 1;
  double term = odd ? cosine : 1, sum = freedom > 1 ? term : 0;
  for (int64_t i = odd ? 3 : 2; i < freedom; i += 2) {
    term *= cosine * cosine * double(i - 1) / double(i);
    sum += term;
  }
  return odd ? 2 / std::numbers::pi * (angle + sine * sum) : sine * sum;
}

double studentQuantile(int64_t freedom) {
  double low = 1.9, high = 13; // between the normal distribution's and that of one degree of freedom
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (studentMass(middle, freedom) < 0.95 ? low : high) = middle;
  }
  return low;
}

double halfInterval(std::span<const double> values) {
  if (values.size() < 2)
    return NAN;
  const double n = double(values.size()), mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (double value : values)
    squares += (value - mean) * (value - mean);
  return studentQuantile(int64_t(values.size()) - 1) * std::sqrt(squares / (n - 1) / n);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + int64_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1)
    return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

} // namespace stretto::runtime
