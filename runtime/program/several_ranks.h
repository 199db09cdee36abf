// A run of several ranks, as far as it has to be known before one of them begins.
#pragma once

#include "runtime/abi/abi.h"
#include "runtime/dist/launch.h"
#include "runtime/train/config.h"

namespace stretto::runtime {

// Throws Error where settings do not go together with several ranks, or with --ranks.
void checkRanks(const RunConfig &config);

// Which rank this process is. Nothing where it is alone, or is to start the ranks: where no launcher says anything, and
// where the user says that there is one rank. Throws Error as findLaunch does, and where the launcher has started
// another number of ranks than --ranks says, or several for what is for one.
std::optional<Launch> launchOf(const RunConfig &config, const Environment &environment);

// What the ranks of a run must have in common, with names for messages: the program, as far as its bits and what is
// exchanged depend on it, and all settings but those that a rank may have for itself. `data`: of the source, `device`:
// its name.
std::vector<std::pair<std::string, std::string>> whatMustAgree(const stretto_program &program, const RunConfig &config,
                                                               const std::string &data, std::string_view device);

// Starts this program --ranks times and waits for it; returns the exit status (runtime/dist/spawn.h).
int startRanks(const RunConfig &config, int argc, const char *const *argv);

} // namespace stretto::runtime
