// Command lines as CLI11 reads them.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

namespace stretto::runtime {

// The option of an app that is called so; null where there is none. CLI11's own search may not throw, and ends a
// program whose memory is used up.
inline const CLI::Option *optionCalled(const CLI::App &app, const std::string &name) {
  for (const CLI::Option *option : app.get_options())
    if (option->check_name(name))
      return option;
  return nullptr;
}

// Has a CLI::App parse the arguments of `main`. What stands behind the "=" of "--name=" or "-n=" is the value, even
// where it is empty, and an error of a flag. (CLI11 itself takes the next word for an empty value and the "=" for a
// part of that of a short option, and no flag minds "=".)
inline void parseWords(CLI::App &app, int argc, const char *const *argv) {
  std::vector<std::string> words;
  bool isValue = true; // of the option in front, or the program
  for (const std::string word : std::span(argv, static_cast<size_t>(argc))) {
    const std::string name = word.substr(0, word.find('='));
    const bool isAttached = name.size() < word.size();
    const CLI::Option *option = isValue || !name.starts_with('-') ? nullptr : optionCalled(app, name);
    isValue = option && !isAttached && option->get_items_expected_min() > 0;
    words.push_back(option ? name : word);
    if (!option || !isAttached)
      continue;
    words.push_back(word.substr(name.size() + 1));
    if (option->get_items_expected_max() == 0)
      throw CLI::ParseError(name + " takes no value, but got '" + words.back() + "'", CLI::ExitCodes::InvalidError);
  }
  std::vector<const char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(word.c_str());
  app.parse(static_cast<int>(pointers.size()), pointers.data());
}

} // namespace stretto::runtime
