// Answers to the prompts of a command line.
#pragma once

#include "runtime/generate/task_text.h"
#include "runtime/train/config.h"
#include "runtime/train/state.h"

#include <iosfwd>
#include <string>

namespace stretto::runtime {

// Goes on with the prompts that the configuration names (--prompt, --prompts), as its options say: one line of `out`
// for each, the tokens of the answer separated by blanks, or with --text (not null) their text. Returns what was done,
// and how fast, for the user. Throws Error for prompts that are not what they must be, a file that cannot be read, and
// as Generator and TaskText do.
std::string writePrompts(const TrainingState &state, const RunConfig &config, const TaskText *text, std::ostream &out);

} // namespace stretto::runtime
