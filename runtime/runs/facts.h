// What a run directory says about its model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stretto::runtime {

// The number of weights, from build/plan.json; nothing where that file is missing. Throws Error where it makes no
// sense.
std::optional<int64_t> parameterCount(const std::string &folder);

} // namespace stretto::runtime
