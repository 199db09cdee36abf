// What the distance of a query and a key means in causal attention. `window`: as in stretto_attention_args, how many
// keys a query sees, its own the last; 0 for all before it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace stretto::runtime {

// Whether some query of `length` does not see all keys before it.
constexpr bool hidesKeys(int64_t window, int64_t length) { return window > 0 && window < length; }

// The first key that a query sees.
constexpr int64_t firstSeenKey(int64_t window, int64_t query) {
  return window == 0 ? 0 : std::max<int64_t>(0, query + 1 - window);
}

// What each step of their distance takes from the score of a head (O. Press et al., arXiv 2108.12409).
inline double alibiSlope(int64_t head, int64_t heads) {
  return std::exp2(-8 * static_cast<double>(head + 1) / static_cast<double>(heads));
}

} // namespace stretto::runtime
