// The learning rate of each step.
#include "runtime/train/schedule.h"

#include "runtime/core/error.h"
#include "runtime/core/nearest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numbers>

namespace stretto::runtime {

Decay decayFromName(const std::string &name) {
  const auto found = std::ranges::find(decayNames, name);
  if (found == decayNames.end())
    throw Error(fmt::format("a schedule must be one of {}, but got '{}'{}", fmt::join(decayNames, ", "), name,
                            didYouMean(name, decayNames)));
  return static_cast<Decay>(found - decayNames.begin());
}

// What is left of the fall when the part `done` of it is over.
static double leftOf(Decay decay, double done) {
  switch (decay) {
  case Decay::Linear:
    return 1 - done;
  case Decay::Cosine:
    return 0.5 * (1 + std::cos(std::numbers::pi * done));
  case Decay::OneMinusSqrt:
    return 1 - std::sqrt(done);
  case Decay::Constant:
    break;
  }
  return 1;
}

double Schedule::rate(int64_t step) const {
  if (step < warmup)
    return learningRate * static_cast<double>(step) / static_cast<double>(warmup);
  const double fall = cooldown * static_cast<double>(steps - warmup), begin = static_cast<double>(steps) - fall;
  if (decay == Decay::Constant || fall <= 0)
    return learningRate;
  const double done = std::clamp((static_cast<double>(step) - begin) / fall, 0.0, 1.0);
  return learningRate * (finalFraction + (1 - finalFraction) * leftOf(decay, done));
}

} // namespace stretto::runtime
