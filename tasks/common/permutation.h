// A random order of 0 .. count-1 that needs no table.
#pragma once

#include "tasks/common/random.h"

#include <algorithm>
#include <cmath>

namespace stretto::tasks {

// The i-th element of a keyed permutation of 0 .. count-1 in constant space: a Feistel network over pairs of digits,
// repeated until the result lies below count (J. Black and P. Rogaway: "Ciphers with arbitrary finite domains", CT-RSA
// 2002). The base of the digits is the least whose square is at least count, but at least 16, as six rounds mix fewer
// digits badly, and even: with an odd base every round is an even permutation. The key is (seed, stream, index), as of
// Random; streams keep uses apart.
class Permutation {
public:
  Permutation(uint64_t count, uint64_t seed, uint32_t stream, uint64_t index)
      : count(count), base(std::max(leastBase, uint64_t(std::sqrt(double(count))) / 2 * 2)),
        key(runtime::philoxKey(seed)), stream(stream), low(uint32_t(index)), high(uint32_t(index >> 32)) {
    while (base * base < count)
      base += 2;
  }

  // i and the result lie in 0 .. count-1; count is at most 2^62.
  uint64_t operator()(uint64_t i) const {
    do
      i = pass(i);
    while (i >= count);
    return i;
  }

private:
  // A permutation of 0 .. base^2-1.
  uint64_t pass(uint64_t i) const {
    uint64_t left = i % base, right = i / base;
    for (uint32_t round = 0; round < rounds; ++round) {
      uint64_t next = (left + digit(round, right)) % base;
      left = right;
      right = next;
    }
    return left + right * base;
  }

  // A number below base; its bias is that of a remainder of 61 bits.
  uint64_t digit(uint32_t round, uint64_t right) const {
    // A counter holds the digit (at most 31 bits and a bit), the round above it, the stream and the index.
    runtime::PhiloxCounter block = runtime::philox({uint32_t(right), stream + (round << 16), low, high}, key);
    return (block[0] | uint64_t{block[1]} << 32) >> 3;
  }

  static constexpr uint32_t rounds = 6;
  static constexpr uint64_t leastBase = 16;

  uint64_t count, base;
  runtime::PhiloxKey key;
  uint32_t stream, low, high;
};

} // namespace stretto::tasks
