// Starts the ranks of a run on this host, and waits for them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace stretto::runtime {

struct RanksToStart {
  std::string program;                // path
  std::vector<std::string> arguments; // its name first
  std::vector<std::string> again;     // the arguments where it is started once more
  int ranks = 1, maxRestarts = 0;
  // For the other ranks to end by themselves where one failed; then SIGTERM and a third of it again, then SIGKILL.
  std::chrono::milliseconds patience{3'000};
};

// Starts the program `ranks` times, with what findLaunch of runtime/dist/launch.h reads. Rank 0 has the standard
// streams of this process; of the others the last lines are kept. SIGINT, SIGTERM and SIGHUP are passed on to all ranks
// once, a second one kills them, and so does the death of this process.
//
// Where a rank fails, the others are sent rankEndedSignal (runtime/dist/rank_ended.h). What it said last is the last
// line on stderr, or how it ended where it said nothing. After EX_TEMPFAIL, with which a rank ends because of another
// one or of something that a further start may mend, or where a signal that nobody sent
// through this process ended a rank, all are started again, at most maxRestarts times. Returns the exit status of the
// rank that failed first, 128 + n where signal n ended it; that of one that was stopped where none failed; else 0.
// Throws Error where a rank cannot be started.
int runRanks(const RanksToStart &what);

} // namespace stretto::runtime
