// Drawing a token from a distribution.
#pragma once

#include <cstdint>
#include <span>

namespace stretto::runtime {

// What a drawn token depends on beside its distribution: nothing of the batch it was computed in.
struct DrawPlace {
  uint64_t seed = 0;
  uint64_t prompt = 0;   // the number of the prompt among all of an evaluation
  uint32_t position = 0; // of the token in prompt and answer
};

// A token drawn with probability proportional to exp(scores[token] / temperature); at temperature 0 the one with the
// highest score, the smallest where several have it. `scores` are logits or log-probabilities; at least one. Throws the
// Error of failDraw where they are no distribution: one is NaN, or the highest is infinite.
int32_t drawToken(std::span<const double> scores, double temperature, const DrawPlace &place);

// Throws Error: the scores of the next token are no distribution.
[[noreturn]] void failDraw(const DrawPlace &place);

} // namespace stretto::runtime
