#include "runtime/generate/write_prompts.h"

#include "runtime/core/error.h"
#include "runtime/core/utf8.h"
#include "runtime/generate/generator.h"
#include "runtime/train/files.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace stretto {
namespace {

constexpr uint64_t mostBytes = 1 << 30; // of a file of prompts

// A prompt, and what messages call it.
struct NamedPrompt {
  Prompt prompt;
  std::string name;
};

NamedPrompt parsePrompt(std::string text, std::string name, const RunConfig &config) {
  Prompt prompt{{}, config.write, static_cast<int32_t>(config.endToken)};
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    int32_t token = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), token);
    if (error != std::errc() || end != word.data() + word.size())
      throw Error(fmt::format("{}: a prompt must be numbers of tokens, but got '{}'", name, printable(word)));
    prompt.tokens.push_back(token);
  }
  return {std::move(prompt), std::move(name)};
}

// Those of the command line are called "prompt 2", those of a file by their line.
std::vector<NamedPrompt> readPrompts(const RunConfig &config) {
  std::vector<NamedPrompt> prompts;
  auto addAll = [&](const std::string &text, char separator, const std::string &place) {
    std::istringstream list(text);
    int64_t number = 0;
    for (std::string one; std::getline(list, one, separator);)
      prompts.push_back(parsePrompt(one, fmt::format("{}{}", place, ++number), config));
  };
  addAll(config.prompt, ';', "prompt ");
  if (!config.prompts.empty())
    addAll(readFile(config.prompts, mostBytes), '\n', config.prompts + ":");
  if (prompts.empty())
    throw Error(fmt::format("'{}' must hold a prompt in each line, but is empty", config.prompts));
  return prompts;
}

// The prompts, each of which can be answered.
std::vector<Prompt> checkedPrompts(const Generator &generator, const RunConfig &config) {
  std::vector<Prompt> prompts;
  for (NamedPrompt &named : readPrompts(config)) {
    generator.check(named.prompt, named.name);
    prompts.push_back(std::move(named.prompt));
  }
  return prompts;
}

} // namespace

std::string writePrompts(const TrainingState &state, const RunConfig &config, std::ostream &out) {
  if (config.endToken >= state.program.vocabulary)
    throw Error(fmt::format("--end-token must be a token in 0..{}, or -1, but got '{}'", state.program.vocabulary - 1,
                            config.endToken));
  Generator generator(state);
  const Writing writing{std::max(0.0, config.temperature), static_cast<uint64_t>(config.seed), 0};
  for (const std::vector<int32_t> &answer : generator.answer(checkedPrompts(generator, config), writing))
    out << fmt::format("{}\n", fmt::join(answer, " "));
  const WritingSpeed &speed = generator.speed();
  return fmt::format("{} tokens written and {} read in {:.3f} s: {:.0f} tokens/s", speed.written, speed.read, speed.seconds,
                     speed.writtenPerSecond());
}

} // namespace stretto
