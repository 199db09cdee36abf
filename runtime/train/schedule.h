// The learning rate of each step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stretto::runtime {

// How the rate falls, as a function of the part t of the fall that is done: not at all, by t, by
// (1 - cos(pi t)) / 2, or by sqrt(t) (A. Hägele et al., arXiv:2405.18392).
enum class Decay { Constant, Linear, Cosine, OneMinusSqrt };

inline const std::vector<std::string> decayNames = {"constant", "linear", "cosine", "1-sqrt"}; // in their order

// Throws Error for a name that is none of these.
Decay decayFromName(const std::string &name);

struct Schedule {
  double learningRate = 0;
  int64_t warmup = 0, steps = 0;
  Decay decay = Decay::Constant;
  double finalFraction = 0; // rate after the last step / learningRate; unused by Constant
  // The part of the steps behind warm-up, at their end, in which the rate falls; unused by Constant.
  double cooldown = 1;

  // Rate of step 1, 2, ..., steps. Warm-up: step s has s / warmup of the full rate and reaches it at
  // s = warmup, where it stays until the cooldown; there it goes from 1 to finalFraction, reached at s = steps.
  double rate(int64_t step) const;
};

} // namespace stretto::runtime
