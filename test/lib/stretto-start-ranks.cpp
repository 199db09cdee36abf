// Starts any program as the ranks of a run would be started, for tests.
#include "runtime/core/error.h"
#include "runtime/dist/spawn.h"

#include <cstdio>
#include <cstdlib>

using namespace stretto::runtime;

// PATH has to be the program's path; at a restart it is given --resume, too.
static constexpr const char *usage = "usage: stretto-start-ranks RANKS MAX-RESTARTS PATIENCE-MS PATH [ARGUMENTS]\n";

int main(int argc, char **argv) {
  if (argc < 5) {
    std::fputs(usage, stderr);
    return 2;
  }
  RanksToStart what{.program = argv[4],
                    .arguments = {argv + 4, argv + argc},
                    .again = {argv + 4, argv + argc},
                    .ranks = std::atoi(argv[1]),
                    .maxRestarts = std::atoi(argv[2]),
                    .patience = std::chrono::milliseconds(std::atoi(argv[3]))};
  what.again.push_back("--resume");
  try {
    return runRanks(what);
  } catch (const Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
