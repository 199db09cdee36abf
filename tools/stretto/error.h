// Errors of the dispatcher.
#pragma once

#include <cstring>
#include <filesystem>
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

// What could not be written, and why. Whoever chose its folder may name another one.
class WriteError : public CommandError {
public:
  using CommandError::CommandError;
  WriteError(const std::filesystem::path &path, int code)
      : CommandError("cannot write '" + path.string() + "': " + std::strerror(code)) {}
};

} // namespace stretto::tools
