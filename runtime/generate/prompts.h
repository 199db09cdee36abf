// The prompts that the user gives, without a model.
#pragma once

#include "runtime/generate/task_text.h"
#include "runtime/train/config.h"

#include <string>
#include <vector>

namespace stretto::runtime {

// A prompt, and what messages call it.
struct NamedPrompt {
  Prompt prompt;
  std::string name;
};

// --prompt and --prompts: those of the command line are called "prompt 2", those of a file by their line. They are
// numbers of tokens, or with --text (not null) text. Throws Error where one is neither, and where there is none.
std::vector<NamedPrompt> readPrompts(const RunConfig &config, const TaskText *text);

// Throws Error, opening with a name for the prompt, where it does not fit together with its answer into `capacity`
// tokens, is empty, or holds what is no token. What is 0 is not known.
void checkPrompt(const Prompt &prompt, const std::string &name, int64_t capacity, int64_t vocabulary);

// Throws Error where --end-token is no token.
void checkEndToken(const RunConfig &config, int64_t vocabulary);

} // namespace stretto::runtime
