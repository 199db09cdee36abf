// Steps that change nothing, told without a line for each.
#pragma once

#include <cstdint>
#include <string>

namespace stretto::runtime {

// Told are the first four, then the 8th, 16th, 32nd, ...; the others are counted.
class SkippedSteps {
public:
  // What to tell of a step; "" where it is only counted.
  std::string add(int64_t step, double loss, double gradNorm);
  // What to tell at the end of those that were only counted; "" where there are none.
  std::string rest() const;

private:
  int64_t count = 0, told = 0, last = 0;
};

} // namespace stretto::runtime
