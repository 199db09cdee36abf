// Starting other programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stretto::tools {

// The program `name` in the folder of this executable. Throws CommandError where it is missing or may not be run.
std::filesystem::path siblingProgram(const std::string &name);

// Whether the program is there and starts: `--version` ends without an error.
bool starts(const std::filesystem::path &program);

// Replaces this process by the program. Throws CommandError where that fails.
[[noreturn]] void becomeProgram(const std::filesystem::path &program, const std::vector<std::string> &arguments);

// Runs a program to its end with this process's streams, its standard error in a file where one is named; returns its
// exit status, 128 + n where signal n ended it. Throws CommandError where it cannot be started.
int runProgram(const std::filesystem::path &program, const std::vector<std::string> &arguments,
               const std::filesystem::path &errors = {});

// Runs a program to its end and returns its standard output; `quiet`: nothing comes of what it says beside that. Throws
// CommandError where it fails.
std::string outputOf(const std::filesystem::path &program, const std::vector<std::string> &arguments,
                     bool quiet = false);

} // namespace stretto::tools
