// In which settings runs differ.
#pragma once

#include "runtime/runs/table.h"

namespace stretto::runtime {

// Every setting of a run by name: options of the program as they are, "task.x" and "model.x"; from run.toml and
// build/settings.json of its folder, as far as they are there. Throws Error where a file makes no sense.
std::map<std::string, std::string> readSettings(const std::string &folder);

// A row per group, a column for each setting that is not the same in all of them. What varies within a group (the
// seeds, say) shows as "varies"; what varies in every group is left out. No columns but the first: no difference.
Table differencesTable(std::span<const Group> groups);

} // namespace stretto::runtime
