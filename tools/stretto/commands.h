// The commands of `stretto`.
#pragma once

#include <span>
#include <string>

namespace stretto::tools {

// Runs the command named by the first argument with the others. Returns the exit status where the command does not
// replace this process. Throws CommandError.
int runCommand(std::span<const std::string> arguments);

} // namespace stretto::tools
