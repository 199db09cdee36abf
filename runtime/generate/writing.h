// How answers to prompts are written.
#pragma once

#include <cstdint>

namespace stretto::runtime {

struct Writing {
  double temperature = 0;   // 0: the most likely token each time
  uint64_t seed = 0;        // of drawn tokens
  uint64_t firstPrompt = 0; // the number of prompts[0], so that parts of an evaluation draw different tokens
};

} // namespace stretto::runtime
