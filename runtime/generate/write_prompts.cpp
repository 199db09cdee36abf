#include "runtime/generate/write_prompts.h"

#include "runtime/core/error.h"
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

Prompt parsePrompt(std::string text, const RunConfig &config) {
  Prompt prompt{{}, config.write, static_cast<int32_t>(config.endToken)};
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    int32_t token = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), token);
    if (error != std::errc() || end != word.data() + word.size())
      throw Error(fmt::format("prompts must be numbers of tokens, but got '{}'", word));
    prompt.tokens.push_back(token);
  }
  return prompt;
}

std::vector<Prompt> readPrompts(const RunConfig &config) {
  std::vector<Prompt> prompts;
  auto addAll = [&](const std::string &text, char separator) {
    std::istringstream list(text);
    for (std::string one; std::getline(list, one, separator);)
      prompts.push_back(parsePrompt(one, config));
  };
  addAll(config.prompt, ';');
  if (!config.prompts.empty())
    addAll(readFile(config.prompts, mostBytes), '\n');
  return prompts;
}

} // namespace

std::string writePrompts(const TrainingState &state, const RunConfig &config, std::ostream &out) {
  Generator generator(state);
  const Writing writing{std::max(0.0, config.temperature), static_cast<uint64_t>(config.seed), 0};
  for (const std::vector<int32_t> &answer : generator.answer(readPrompts(config), writing))
    out << fmt::format("{}\n", fmt::join(answer, " "));
  const WritingSpeed &speed = generator.speed();
  return fmt::format("{} tokens written and {} read in {:.3f} s: {:.0f} tokens/s", speed.written, speed.read, speed.seconds,
                     speed.writtenPerSecond());
}

} // namespace stretto
