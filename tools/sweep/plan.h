// What a sweep is going to do.
#pragma once

#include "tools/sweep/line.h"

namespace stretto::tools {

// A program that several runs share.
struct PlannedProgram {
  std::vector<std::string> words; // of `stretto program`, after that word: makes it
};

struct PlannedRun {
  std::vector<std::string> words; // of `stretto train`, after that word, without --out
  size_t program = 0;
};

struct SweepPlan {
  runtime::SweepFile file;
  std::vector<PlannedRun> runs; // in the order of file.runs
  std::vector<PlannedProgram> programs;
};

// Puts the line's axes and options together. Throws CommandError for what does not go together (a value that is given
// as an option and as an axis, lr=recipe without a task) and TaskError for an unknown task or preset.
SweepPlan planSweep(SweepLine line);

// Why `now` does not go on with the sweep that `then` began: what differs in specs, options or axes, a line each. ""
// where nothing does but values that axes have besides.
std::string differencesOf(const runtime::SweepFile &then, const runtime::SweepFile &now);

} // namespace stretto::tools
