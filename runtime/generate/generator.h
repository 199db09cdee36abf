// Answers to prompts by the decode entries of a program.
#pragma once

#include "runtime/generate/decoder.h"
#include "runtime/generate/writing.h"
#include "runtime/train/task.h"

#include <string>
#include <vector>

namespace stretto::runtime {

// Whether a program was compiled with decode entries.
inline bool canDecode(const stretto_program &program) { return program.decode_one.rows > 0; }

// Writes with the weights that a program has at the moment, in training or after it. Uses the CACHE, INPUTS, OUTPUTS
// and ACTIVATIONS arenas: gradients that a step left there are lost.
class Generator {
public:
  // Throws Error when the program was compiled without decode entries.
  explicit Generator(const TrainingState &state) : decoder(state) {}

  // The answer to each prompt, end token included. Prompts may differ in length; as many are worked on at a time as the
  // batch has rows, and a row that is done takes the next. Throws Error for an empty prompt, for one that does not fit
  // together with its answer into the tokens that the program was compiled for, and for tokens outside of the
  // vocabulary.
  std::vector<std::vector<int32_t>> answer(std::span<const Prompt> prompts, const Writing &writing);

private:
  struct Row;
  bool writeToken(Row &row, int64_t slot, std::span<const double> logits, const Writing &writing);

  Decoder decoder;
};

} // namespace stretto::runtime
