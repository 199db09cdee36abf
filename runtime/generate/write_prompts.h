// Answers to the prompts of a command line.
#pragma once

#include "runtime/train/config.h"
#include "runtime/train/state.h"

#include <iosfwd>
#include <string>

namespace stretto::runtime {

// Goes on with the prompts that the configuration names (--prompt, --prompts), as its options say: one line of `out`
// for each, the tokens of the answer separated by blanks. Returns what was done, and how fast, for the user. Throws
// Error for prompts that are not numbers, a file that cannot be read, and as Generator does.
std::string writePrompts(const TrainingState &state, const RunConfig &config, std::ostream &out);

} // namespace stretto::runtime
