// Generation without caches: the whole row is evaluated again for each token. Works with every program, and is what
// generation with caches is checked against.
#pragma once

#include "runtime/generate/writing.h"
#include "runtime/train/step.h"

namespace stretto::runtime {

// The answer to each prompt, end token included; a batch of the program at a time. Each prompt is one document. Throws
// Error for an empty prompt and one that does not fit into a row together with its answer.
std::vector<std::vector<int32_t>> recomputeAnswers(Stepper &stepper, const stretto_program &program,
                                                   std::span<const Prompt> prompts, const Writing &writing);

} // namespace stretto::runtime
