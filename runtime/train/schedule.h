// The learning rate of each step.
#pragma once

#include <cstdint>
#include <string>

namespace stretto::runtime {

enum class Decay { Constant, Linear, Cosine };

// Throws Error for a name other than "constant", "linear" or "cosine".
Decay decayFromName(const std::string &name);

struct Schedule {
  double learningRate = 0;
  int64_t warmup = 0, steps = 0;
  Decay decay = Decay::Constant;
  double finalFraction = 0; // rate after the last step / learningRate; unused by Constant

  // Rate of step 1, 2, ..., steps. Warm-up: step s has s / warmup of the full rate and reaches it at
  // s = warmup; then the decay goes from 1 to finalFraction, reached at s = steps.
  double rate(int64_t step) const;
};

} // namespace stretto::runtime
