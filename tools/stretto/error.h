// Errors of the dispatcher, and help with misspelt names.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace stretto::tools {

// A mistake of the user or of the machine, as text for the terminal; main prints it and ends with `status`:
// 2 where the command line is wrong, 1 otherwise.
class CommandError : public std::runtime_error {
public:
  explicit CommandError(const std::string &text, int status = 1) : std::runtime_error(text), status(status) {}
  const int status;
};

// The candidate that is closest to `name` (fewest insertions, deletions, replacements and swaps of neighbours),
// or "" where none is close: at most a third of the letters may differ, and always one.
std::string nearestName(std::string_view name, std::span<const std::string> candidates);

} // namespace stretto::tools
