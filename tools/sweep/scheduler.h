// Runs the runs of a sweep.
#pragma once

#include "tools/sweep/plan.h"

namespace stretto::tools {

struct SweepJobs {
  std::filesystem::path out, stretto;
  int64_t jobs = 1, ranks = 1; // a run counts as many jobs as it has ranks
  int64_t threads = 0;         // of each rank; 0: as the options of the runs say
};

// Makes the programs, then trains what is not finished, `jobs` at a time, with a line for each that ended; output goes
// to out/logs. `stopping` tells how often the user asked to stop: at the first time no run is started and those going
// on write a checkpoint, at the second they end at once. Returns the exit status: 0 all finished, 1 something failed,
// 130 stopped.
int runSweep(const SweepPlan &plan, const SweepJobs &jobs, int (*stopping)());

} // namespace stretto::tools
