// A run of several ranks, as far as it has to be known before one of them begins.
#pragma once

#include "runtime/dist/launch.h"
#include "runtime/train/config.h"

namespace stretto::runtime {

// Throws Error where settings do not go together with several ranks, or with --ranks.
void checkRanks(const RunConfig &config);

// Which rank this process is. Nothing where it is alone, or is to start the ranks: where no launcher says anything, and
// where the user says that there is one rank. Throws Error as findLaunch does, and where the launcher has started
// another number of ranks than --ranks says, or several for what is for one.
std::optional<Launch> launchOf(const RunConfig &config, const Environment &environment);

// Starts this program --ranks times and waits for it; returns the exit status (runtime/dist/spawn.h).
int startRanks(const RunConfig &config, int argc, const char *const *argv);

} // namespace stretto::runtime
