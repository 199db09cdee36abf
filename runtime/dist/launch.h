// Which rank of a run this process is, as whoever started it says in the environment.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace stretto::runtime {

struct Launch {
  std::string by; // "stretto", "torchrun", "SLURM", "mpirun": for messages
  int rank = 0, ranks = 1;
  std::string rankVariable, ranksVariable; // which variables say so: for messages
  int localRank = 0, localRanks = 1;       // among those of this host
  // Where the store is by which ranks find each other. Rank 0 serves it, unless the launcher does.
  std::string address;
  int port = 0;
  int listener = -1;     // of rank 0: a socket that listens there already; -1: it makes one
  bool isClient = false; // the launcher serves the store
  std::string prefix;    // of all keys: tells one attempt of a launcher from the next

  bool isOnOneHost() const { return localRanks == ranks; }
  bool servesStore() const { return rank == 0 && !isClient; }
  std::string storeHolder() const { return isClient ? "the launcher" : "rank 0"; } // for messages
};

// What `stretto` itself sets for the ranks that it starts (runtime/dist/spawn.h): the number of the rank, how many
// there are, ADDRESS:PORT of the store, and for rank 0 the descriptor of the socket that listens there.
constexpr const char *strettoRank = "STRETTO_RANK", *strettoRanks = "STRETTO_RANKS", *strettoStore = "STRETTO_STORE",
                     *strettoListener = "STRETTO_LISTENER";

// Null for a variable that is not set.
using Environment = std::function<const char *(const char *name)>;

// Nothing where no launcher is seen, or where each that is says that there is one rank. Throws Error where variables of
// the launcher are missing or make no sense, and where two launchers say different things; it names the variables.
//
// Ranks of one host find each other by 127.0.0.1, others at the address that the launcher or MASTER_ADDR names.
std::optional<Launch> findLaunch(const Environment &environment);

} // namespace stretto::runtime
