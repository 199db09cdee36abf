// Options among the words of a command line.
#include "tools/stretto/words.h"

#include "runtime/core/whole_number.h"
#include "tools/stretto/error.h"

#include <algorithm>
#include <sstream>

namespace stretto::tools {

std::optional<std::string> firstValue(std::span<const std::string> words, const std::string &name) {
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == name && i + 1 < words.size())
      return words[i + 1];
    else if (words[i].starts_with(name + "="))
      return words[i].substr(name.size() + 1);
  return std::nullopt;
}

std::vector<std::string> allValues(std::span<const std::string> words, const std::string &name) {
  std::vector<std::string> values;
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == name && i + 1 < words.size())
      values.push_back(words[++i]);
    else if (words[i].starts_with(name + "="))
      values.push_back(words[i].substr(name.size() + 1));
  return values;
}

std::optional<std::string> lastValue(std::span<const std::string> words, const std::string &name) {
  const std::vector<std::string> values = allValues(words, name);
  return values.empty() ? std::nullopt : std::optional(values.back());
}

int readCount(const std::string &option, const std::string &value, int most) {
  int64_t count = 0;
  if (!runtime::isWholeNumber(value, 1, most, count))
    throw CommandError(option + " " + runtime::notWholeNumber(value, 1, most), 2);
  return static_cast<int>(count);
}

bool hasOption(std::span<const std::string> words, const std::string &name) {
  return std::ranges::any_of(words,
                             [&](const std::string &word) { return word == name || word.starts_with(name + "="); });
}

std::vector<std::string> linesOf(const std::string &text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

void dropOption(std::vector<std::string> &words, const std::string &name) {
  for (size_t i = 0; i < words.size();)
    if (words[i] == name)
      words.erase(words.begin() + i, words.begin() + std::min(i + 2, words.size()));
    else if (words[i].starts_with(name + "="))
      words.erase(words.begin() + i);
    else
      ++i;
}

} // namespace stretto::tools
