// Answers to the prompts of a command line.
#include "runtime/generate/write_prompts.h"

#include "runtime/core/counted.h"
#include "runtime/generate/generator.h"
#include "runtime/generate/prompts.h"
#include "runtime/generate/recompute.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stretto::runtime {

namespace {

using Answers = std::vector<std::vector<int32_t>>;

// With caches where the program has the entries for them.
Answers answer(const TrainingState &state, std::span<const Prompt> prompts, const Writing &writing) {
  if (canDecode(state.program))
    return Generator(state).answer(prompts, writing);
  Stepper stepper(state, /*accumulate=*/1);
  return recomputeAnswers(stepper, state.program, prompts, writing);
}

// What was done, and how fast.
std::string speedText(std::span<const Prompt> prompts, const Answers &answers, double seconds) {
  size_t read = 0, written = 0;
  for (const Prompt &prompt : prompts)
    read += prompt.tokens.size();
  for (const std::vector<int32_t> &tokens : answers)
    written += tokens.size();
  return fmt::format("{} written and {} read in {:.3f} s: {:.0f} tokens/s", counted(written, "token"), read, seconds,
                     seconds > 0 ? static_cast<double>(written) / seconds : 0);
}

} // namespace

std::string writePrompts(const TrainingState &state, const RunConfig &config, const TaskText *text, std::ostream &out) {
  checkEndToken(config, state.program.vocabulary);
  std::vector<Prompt> prompts;
  for (NamedPrompt &named : readPrompts(config, text)) {
    checkPrompt(named.prompt, named.name, state.program.length, state.program.vocabulary);
    prompts.push_back(std::move(named.prompt));
  }
  const auto start = std::chrono::steady_clock::now();
  const Answers answers =
      answer(state, prompts, {std::max(0.0, config.temperature), static_cast<uint64_t>(config.seed), 0});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const std::vector<int32_t> &tokens : answers)
    out << (text ? text->write(tokens) : fmt::format("{}", fmt::join(tokens, " "))) << "\n";
  return speedText(prompts, answers, seconds);
}

} // namespace stretto::runtime
