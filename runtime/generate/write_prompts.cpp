// Answers to the prompts of a command line.
#include "runtime/generate/write_prompts.h"

#include "runtime/core/counted.h"
#include "runtime/generate/generator.h"
#include "runtime/generate/prompts.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stretto::runtime {

std::string writePrompts(const TrainingState &state, const RunConfig &config, const TaskText *text, std::ostream &out) {
  checkEndToken(config, state.program.vocabulary);
  Generator generator(state);
  std::vector<Prompt> prompts;
  for (NamedPrompt &named : readPrompts(config, text)) {
    generator.check(named.prompt, named.name);
    prompts.push_back(std::move(named.prompt));
  }
  const Writing writing{std::max(0.0, config.temperature), static_cast<uint64_t>(config.seed), 0};
  for (const std::vector<int32_t> &answer : generator.answer(prompts, writing))
    out << (text ? text->write(answer) : fmt::format("{}", fmt::join(answer, " "))) << "\n";
  const WritingSpeed &speed = generator.speed();
  return fmt::format("{} written and {} read in {:.3f} s: {:.0f} tokens/s", counted(speed.written, "token"), speed.read,
                     speed.seconds, speed.writtenPerSecond());
}

} // namespace stretto::runtime
