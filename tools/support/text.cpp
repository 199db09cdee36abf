#include "tools/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace stretto {

static std::string quoteWord(const std::string &word) {
  if (!word.empty() && word.find_first_of(" \t\n{}'\"$*?;&|<>()[]`\\~#!") == std::string::npos)
    return word;
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string commandLine(const std::vector<std::string> &command) {
  std::string text;
  for (const std::string &word : command)
    text += (text.empty() ? "" : " ") + quoteWord(word);
  return text;
}

std::string lastLines(const std::filesystem::path &file, size_t count) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back("  " + line + "\n");
  std::string text;
  for (size_t i = lines.size() - std::min(count, lines.size()); i < lines.size(); ++i)
    text += lines[i];
  return text;
}

std::string durationText(double seconds) {
  const int64_t whole = std::llround(seconds), hours = whole / 3600, minutes = whole / 60 % 60;
  return hours ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60) : fmt::format("{}:{:02}", minutes, whole % 60);
}

} // namespace stretto
