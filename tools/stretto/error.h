// Errors of the dispatcher.
#pragma once

#include <stdexcept>
#include <string>

namespace stretto::tools {

// A mistake of the user or of the machine, as text for the terminal; main prints it and ends with `status`:
// 2 where the command line is wrong, 1 otherwise.
class CommandError : public std::runtime_error {
public:
  explicit CommandError(const std::string &text, int status = 1) : std::runtime_error(text), status(status) {}
  const int status;
};

} // namespace stretto::tools
