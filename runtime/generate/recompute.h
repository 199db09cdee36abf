// Generation without caches: the whole row is evaluated again for each token. Works with every program, and is what
// generation with caches is checked against.
#pragma once

#include "runtime/train/step.h"

namespace stretto {

// How answers are written.
struct Writing {
  double temperature = 0;  // 0: the most likely token each time
  uint64_t seed = 0;       // of drawn tokens
  uint64_t firstPrompt = 0; // the number of prompts[0], so that parts of an evaluation draw different tokens
};

// The answer to each prompt, end token included; a batch of the program at a time. Each prompt is one document. Throws
// Error for an empty prompt and one that does not fit into a row together with its answer.
std::vector<std::vector<int32_t>> recomputeAnswers(Stepper &stepper, const stretto_program &program,
                                                   std::span<const Prompt> prompts, const Writing &writing);

} // namespace stretto
