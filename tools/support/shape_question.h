// What stretto-data is asked for the shape that a task gives a program.
#pragma once

#include <string>
#include <vector>

namespace stretto::tools {

// Its arguments; `preset` and `length` are empty where nobody says. `settings`: "name=value".
inline std::vector<std::string> shapeQuestion(const std::string &task, const std::string &preset,
                                              const std::vector<std::string> &settings, const std::string &length) {
  std::vector<std::string> words{task, "--shape"};
  if (!preset.empty())
    words.insert(words.end(), {"--preset", preset});
  for (const std::string &setting : settings)
    words.insert(words.end(), {"--set", setting});
  if (!length.empty())
    words.insert(words.end(), {"--set", "length=" + length});
  return words;
}

} // namespace stretto::tools
