// What is wrong with a command line that CLI11 refuses.
#pragma once

#include "runtime/core/nearest.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace stretto::tools {

// What CLI11 says; about an unknown option, with the nearest one, and about a word too many.
inline std::string optionError(const CLI::App &app, const CLI::Error &error, std::span<char *const> words) {
  if (dynamic_cast<const CLI::ExtrasError *>(&error) == nullptr)
    return error.what();
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  for (std::string word : words.subspan(1))
    if (const std::string name = word.substr(0, word.find('='));
        name.starts_with("--") && std::ranges::find(names, name) == names.end())
      return "no option is called '" + name + "'" + runtime::suggestName(name, names);
  if (const std::vector<std::string> extra = app.remaining(); !extra.empty())
    return "arguments must be options from here on, but got '" + extra.front() + "'";
  return error.what();
}

} // namespace stretto::tools
