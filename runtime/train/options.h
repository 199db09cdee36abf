// The command line of a training program.
#pragma once

#include "runtime/train/config.h"

#include <optional>

namespace stretto::runtime {

struct CommandLine {
  ConfigLayer layer;
  std::string configFile; // --config
  std::string ofRun;      // --of-run
};

// Reads the arguments. Returns nothing when help or version was printed. Throws Error for unknown options,
// with the nearest name.
std::optional<CommandLine> parseCommandLine(int argc, const char *const *argv, const std::string &about,
                                            const std::string &version);

// What the options mean, one after the other.
std::string programOptionsHelp();

} // namespace stretto::runtime
