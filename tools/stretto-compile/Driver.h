//===- Driver.h - what stretto-compile does -----------------------------------===//
#pragma once

#include "tools/stretto-compile/Options.h"

namespace stretto::tools {

/// Carries out a command; returns the exit status. Prints errors to the standard error.
int runCommand(const CommandLine &line);

} // namespace stretto::tools
