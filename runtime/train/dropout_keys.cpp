// What dropout knows of each token: a random number.
#include "runtime/train/dropout_keys.h"

namespace stretto::runtime {

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::vector<int32_t> dropoutKeys(uint64_t seed, uint64_t first, int64_t count) {
  constexpr uint64_t golden = 0x9e3779b97f4a7c15u;
  const uint64_t state = mix(seed);
  std::vector<int32_t> keys(count);
  for (int64_t i = 0; i < count; ++i)
    keys[i] = static_cast<int32_t>(mix(state + (first + static_cast<uint64_t>(i) + 1) * golden) >> 32);
  return keys;
}

} // namespace stretto::runtime
