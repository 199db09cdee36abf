// How evenly the ranks of a run work: who is slow, and since when.
#include "runtime/train/balance.h"

#include <algorithm>

namespace stretto::runtime {

constexpr double tolerated = 0.2;

Balance::Step Balance::of(const std::vector<double> &seconds) {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[(sorted.size() - 1) / 2];
  const auto slowest = std::max_element(seconds.begin(), seconds.end());
  return {static_cast<int>(slowest - seconds.begin()), *slowest, median > 0 ? *slowest / median - 1 : 0};
}

std::optional<Balance::Step> Balance::add(const Step &step) {
  const bool isSlow = step.imbalance > tolerated;
  since = isSlow && step.slowest == slow ? since + 1 : isSlow;
  slow = isSlow ? step.slowest : -1;
  if (since != stepsUntilTold || std::find(told.begin(), told.end(), slow) != told.end())
    return std::nullopt;
  told.push_back(slow);
  return step;
}

} // namespace stretto::runtime
