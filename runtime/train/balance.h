// How evenly the ranks of a run work: who is slow, and since when.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace stretto::runtime {

class Balance {
public:
  static constexpr int64_t stepsUntilTold = 50;

  // What one step took on each rank, without waiting for others, in seconds.
  struct Step {
    int slowest = 0;      // rank
    double seconds = 0;   // of it
    double imbalance = 0; // of it over the (lower) median, minus 1
  };
  static Step of(const std::vector<double> &seconds);

  // Takes a step; gives the rank that has been slower than the median by more than a fifth for stepsUntilTold steps,
  // once.
  std::optional<Step> add(const Step &step);

private:
  int slow = -1;
  int64_t since = 0; // steps
  std::vector<int> told;
};

} // namespace stretto::runtime
