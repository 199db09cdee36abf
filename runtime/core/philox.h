// Names for the counters of the generator in random.h, for draws that are addressed and not walked.
#pragma once

#include "runtime/core/random.h"

namespace stretto {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

constexpr PhiloxKey philoxKey(uint64_t seed) {
  return {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
}

// A double in (0, 1) from two words: 52 random bits and a half, so that neither end is reached.
constexpr double openUniform(uint32_t high, uint32_t low) {
  const uint64_t bits = (static_cast<uint64_t>(high) << 32 | low) >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

} // namespace stretto
