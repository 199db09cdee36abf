// Which rank of a run this process is, as whoever started it says in the environment.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace stretto::runtime {

struct Launch {
  std::string by; // "stretto", "torchrun", "SLURM", "mpirun": for messages
  int rank = 0, ranks = 1;
  int localRank = 0, localRanks = 1; // among those of this host
  // Where the store is by which ranks find each other. Rank 0 serves it, unless the launcher does.
  std::string address;
  int port = 0;
  int listener = -1;    // of rank 0: a socket that listens there already; -1: it makes one
  bool isClient = false; // the launcher serves the store
  std::string prefix;   // of all keys: tells one attempt of a launcher from the next
};

using Environment = std::function<const char *(const char *name)>;

// Nothing where no launcher is seen, or where it says that there is one rank. Throws Error where variables of a launcher
// are missing or make no sense, and where two launchers say different things; it names the variables.
std::optional<Launch> findLaunch(const Environment &environment);

} // namespace stretto::runtime
