// The learning rate of each step.
#include "runtime/train/schedule.h"

#include "runtime/core/error.h"
#include "runtime/core/nearest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace stretto::runtime {

Decay decayFromName(const std::string &name) {
  if (name == "constant")
    return Decay::Constant;
  if (name == "linear")
    return Decay::Linear;
  if (name == "cosine")
    return Decay::Cosine;
  throw Error(fmt::format("a schedule must be 'constant', 'linear' or 'cosine', but got '{}'{}", name,
                          didYouMean(name, std::vector<std::string>{"constant", "linear", "cosine"})));
}

double Schedule::rate(int64_t step) const {
  if (step < warmup)
    return learningRate * static_cast<double>(step) / static_cast<double>(warmup);
  if (decay == Decay::Constant || steps <= warmup)
    return learningRate;
  const double done = std::min(1.0, static_cast<double>(step - warmup) / static_cast<double>(steps - warmup));
  const double left = decay == Decay::Linear ? 1 - done : 0.5 * (1 + std::cos(std::numbers::pi * done));
  return learningRate * (finalFraction + (1 - finalFraction) * left);
}

} // namespace stretto::runtime
