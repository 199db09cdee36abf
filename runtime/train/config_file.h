// What a run file says besides its values.
#pragma once

#include "runtime/train/config.h"

namespace stretto::runtime {

// Gives values that come from the run.toml of a run directory the origins that it says, so that it says them again.
void keepOrigins(RunConfig &config, const std::string &run);

// The origin that a line of a run.toml says, behind its #; empty where it says none.
std::string commentOf(std::string_view line);

} // namespace stretto::runtime
