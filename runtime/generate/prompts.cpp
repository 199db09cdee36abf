// The prompts that the user gives, without a model.
#include "runtime/generate/prompts.h"

#include "runtime/core/counted.h"
#include "runtime/core/error.h"
#include "runtime/core/utf8.h"
#include "runtime/train/files.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <sstream>

namespace stretto::runtime {
namespace {

constexpr uint64_t mostBytes = 1 << 30; // of a file of prompts

std::vector<int32_t> parseNumbers(std::string text, const std::string &name) {
  std::vector<int32_t> tokens;
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    int32_t token = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), token);
    if (error != std::errc() || end != word.data() + word.size())
      throw Error(fmt::format("{}: a prompt must be numbers of tokens, but got '{}'", name, printable(word)));
    tokens.push_back(token);
  }
  return tokens;
}

} // namespace

std::vector<NamedPrompt> readPrompts(const RunConfig &config, const TaskText *text) {
  std::vector<NamedPrompt> prompts;
  auto addAll = [&](const std::string &all, char separator, const std::string &place) {
    std::istringstream list(all);
    int64_t number = 0;
    for (std::string one; std::getline(list, one, separator);) {
      const std::string name = fmt::format("{}{}", place, ++number);
      Prompt prompt{text ? text->read(one, name) : parseNumbers(one, name), config.write,
                    static_cast<int32_t>(config.endToken)};
      prompts.push_back({std::move(prompt), name});
    }
  };
  addAll(config.prompt, ';', "prompt ");
  if (!config.prompts.empty())
    addAll(readFile(config.prompts, mostBytes, /*followLinks=*/true), '\n', config.prompts + ":");
  if (prompts.empty())
    throw Error(fmt::format("'{}' must hold a prompt in each line, but is empty", config.prompts));
  return prompts;
}

void checkPrompt(const Prompt &prompt, const std::string &name, int64_t capacity, int64_t vocabulary) {
  const auto size = static_cast<int64_t>(prompt.tokens.size());
  if (size == 0 || prompt.most < 1)
    throw Error(
        fmt::format("{}: a prompt must have at least one token, and room for one of an answer, but has {} and an "
                    "answer of up to {}",
                    name, size, prompt.most));
  if (capacity && size + prompt.most - 1 > capacity) // the last token written is never read
    throw Error(fmt::format("{}: a prompt must fit into the {} that the model was compiled for together with its "
                            "answer, but has {} for an answer of up to {}; compile with --length {}",
                            name, counted(capacity, "token"), size, prompt.most, size + prompt.most - 1));
  for (const int32_t token : prompt.tokens)
    if (vocabulary && (token < 0 || token >= vocabulary))
      throw Error(fmt::format("{}: tokens must be in 0..{}, but got {}", name, vocabulary - 1, token));
}

void checkEndToken(const RunConfig &config, int64_t vocabulary) {
  if (vocabulary && config.endToken >= vocabulary)
    throw Error(
        fmt::format("--end-token must be a token in 0..{}, or -1, but got '{}'", vocabulary - 1, config.endToken));
}

} // namespace stretto::runtime
