// What a run file says besides its values.
#pragma once

#include "runtime/train/config.h"
#include "runtime/train/toml.h"

namespace stretto::runtime {

// What a run.toml says that was changed, [[changed]], in its order; nothing where it says none. Throws Error.
std::vector<SettingChange> readChanges(const std::string &path, const toml::table &file);

// Gives values that come from the run.toml of a run directory the origins that it says, for the next run.toml.
void keepOrigins(RunConfig &config, const std::string &run);

// The origin that a line of a run.toml says, behind its #; empty where it says none.
std::string commentOf(std::string_view line);

} // namespace stretto::runtime
