// What dropout knows of each token: a random number.
#pragma once

#include <cstdint>
#include <vector>

namespace stretto::runtime {

// Those of tokens first, first + 1, ..., counted over all that a run of this seed trains on: the high words of what
// SplitMix64 (G. Steele et al., "Fast splittable pseudorandom number generators", OOPSLA 2014) gives for these tokens
// in turn, its state begun as mix(seed). Philox would do as well; these few operations are made anew, fast enough, by
// the Python of --emit=pytorch.
std::vector<int32_t> dropoutKeys(uint64_t seed, uint64_t first, int64_t count);

} // namespace stretto::runtime
