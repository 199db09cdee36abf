// Command lines as CLI11 reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stretto::runtime {

// Has a CLI::App parse the arguments of `main`, with "--name=" as an empty value. (CLI11 itself takes the next word for
// the value, even an option.)
template <typename App> void parseWords(App &app, int argc, const char *const *argv) {
  std::vector<std::string> words;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool isEmptyValue = word.starts_with("--") && word.find('=') == word.size() - 1;
    words.emplace_back(word.substr(0, word.size() - isEmptyValue));
    if (isEmptyValue)
      words.emplace_back();
  }
  std::vector<const char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(word.c_str());
  app.parse(static_cast<int>(pointers.size()), pointers.data());
}

} // namespace stretto::runtime
