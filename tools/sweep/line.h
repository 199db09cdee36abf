// The command line of `stretto sweep`.
#pragma once

#include "runtime/runs/sweep_file.h"

#include <cstdint>
#include <span>

namespace stretto::tools {

struct SweepLine {
  std::vector<runtime::Axis> axes;
  std::filesystem::path out, stretto; // stretto: the program to call
  int64_t jobs = 1, ranks = 1;        // a run of several ranks is as many jobs
  bool dryRun = false, help = false;
  std::vector<std::string> train; // all other words: the arguments of `stretto train`
};

// Throws CommandError with status 2.
SweepLine readSweepLine(std::span<const std::string> words);

// The text of --help.
std::string sweepHelp();

} // namespace stretto::tools
