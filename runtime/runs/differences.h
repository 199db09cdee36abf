// In which settings runs differ.
#pragma once

#include "runtime/runs/table.h"

namespace stretto::runtime {

// A row per group, a column for each setting that is not the same in all of them. What varies within a group (the
// seeds, say) shows as "varies"; what varies in every group is left out. So are, of other models, parameters that one
// of them does not have, and the texts of their specs where the names tell them apart. No columns but the first: no
// difference.
Table differencesTable(std::span<const RunGroup> groups);

} // namespace stretto::runtime
