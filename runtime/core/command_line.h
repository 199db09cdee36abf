// Commands as one types them into a shell.
#pragma once

#include <string>
#include <vector>

namespace stretto::runtime {

inline std::string quoteWord(const std::string &word) {
  if (!word.empty() && word.find_first_of(" \t\n{}'\"$*?;&|<>()[]`\\~#!") == std::string::npos)
    return word;
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

inline std::string commandLine(const std::vector<std::string> &command) {
  std::string text;
  for (const std::string &word : command)
    text += (text.empty() ? "" : " ") + quoteWord(word);
  return text;
}

} // namespace stretto::runtime
