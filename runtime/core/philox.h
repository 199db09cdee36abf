// Philox4x32-10, the counter-based generator of J. Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3" (SC 2011). A draw is a pure function of key and counter: nothing to save, no dependence on
// threads, layout or order.
#pragma once

#include <array>
#include <cstdint>

namespace stretto::runtime {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

// Four random words for one counter.
constexpr PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key) {
  constexpr uint64_t multiplier0 = 0xD2511F53u, multiplier1 = 0xCD9E8D57u;
  constexpr uint32_t weyl0 = 0x9E3779B9u, weyl1 = 0xBB67AE85u;
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = multiplier0 * counter[0], product1 = multiplier1 * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(product0)};
    key[0] += weyl0;
    key[1] += weyl1;
  }
  return counter;
}

constexpr PhiloxKey philoxKey(uint64_t seed) {
  return {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
}

// A double in (0, 1) from two words: 52 random bits and a half, so that neither end is reached.
constexpr double openUniform(uint32_t high, uint32_t low) {
  const uint64_t bits = (static_cast<uint64_t>(high) << 32 | low) >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

} // namespace stretto::runtime
