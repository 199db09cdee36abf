// The options that `stretto train` takes, told apart.
#pragma once

#include "runtime/core/program_options.h"

#include <span>
#include <string>
#include <string_view>

namespace stretto::tools {

struct TrainOption {
  std::string_view name;
  bool takesValue = true;
  const runtime::ProgramOption *ofProgram = nullptr; // null: an option of the compiler that the program does not take
};

// Those that shape the program; stretto-compile knows more, which belong to `stretto compile`.
std::span<const TrainOption> compilerOptions();
// Those of the program alone.
std::span<const TrainOption> programOptions();

// The option that a word names, a value behind `=` aside; null where there is none.
const TrainOption *findOption(std::span<const TrainOption> options, std::string_view word);

// Throws CommandError with the nearest name.
[[noreturn]] void refuseOption(const std::string &word);

// What all of them mean, for the help.
std::string optionsText();

} // namespace stretto::tools
