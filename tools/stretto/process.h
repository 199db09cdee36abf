// Starting other programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stretto::tools {

// The program `name` in the folder of this executable. Throws CommandError where it is missing or may not be run.
std::filesystem::path siblingProgram(const std::string &name);

// Why the program does not start: `--version` fails with what it or the system says. Empty where it does.
std::string startFailure(const std::filesystem::path &program);

// Replaces this process by the program. Throws CommandError where that fails.
[[noreturn]] void becomeProgram(const std::filesystem::path &program, const std::vector<std::string> &arguments);

// Runs a program to its end with this process's streams; returns its exit status, 128 + n where signal n ended it.
// Throws CommandError where it cannot be started.
int runProgram(const std::filesystem::path &program, const std::vector<std::string> &arguments);

// The same, but what it writes to its standard error comes here.
int runProgram(const std::filesystem::path &program, const std::vector<std::string> &arguments, std::string &errors);

// What becomes of a program's standard error.
enum class Errors {
  Shown,
  Dropped,
  Told, // joined to the output, whose last line is part of the error where the program fails
};

// Runs a program to its end and returns its standard output. Throws CommandError where it fails.
std::string outputOf(const std::filesystem::path &program, const std::vector<std::string> &arguments, Errors errors);

} // namespace stretto::tools
