// The numbers samples are drawn from: every number is a pure function of (seed, stream, sample, position), so
// nothing has to be saved, and neither threads nor ranks can change what is drawn.
#pragma once

#include "runtime/core/philox.h"

#include <span>
#include <utility>

namespace stretto::tasks {

// The numbers of one sample of one stream, in order. `stream` separates uses of the same seed: 0 and 1 are
// the streams of tasks (train/task.h). A sample holds 2^34 numbers of 32 bits.
class Random {
public:
  Random(uint64_t seed, uint32_t stream, uint64_t sample)
      : key(runtime::philoxKey(seed)), counter{0, stream, uint32_t(sample), uint32_t(sample >> 32)} {}

  uint32_t next32() {
    if (used == 4) {
      block = runtime::philox(counter, key);
      ++counter[0];
      used = 0;
    }
    return block[used++];
  }

  uint64_t next64() {
    uint64_t low = next32();
    return low | uint64_t{next32()} << 32;
  }

  // Uniform in 0 .. bound-1 without bias; bound >= 1 (Lemire: "Fast random integer generation in an
  // interval", 2019).
  uint64_t below(uint64_t bound) { return bound >> 32 ? below64(bound) : below32(uint32_t(bound)); }

  // Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return double(next64() >> 11) * 0x1p-53; }

  // Puts a uniform random subset of `count` items, in uniform random order, at the front of `items`.
  template <typename T> void shuffle(std::span<T> items, size_t count) {
    for (size_t i = 0; i < count && i + 1 < items.size(); ++i)
      std::swap(items[i], items[i + below(items.size() - i)]);
  }
  template <typename T> void shuffle(std::span<T> items) { shuffle(items, items.size()); }

private:
  uint32_t below32(uint32_t bound) {
    uint64_t product = uint64_t{next32()} * bound;
    if (uint32_t(product) < bound)
      for (uint32_t reject = -bound % bound; uint32_t(product) < reject;)
        product = uint64_t{next32()} * bound;
    return uint32_t(product >> 32);
  }

  uint64_t below64(uint64_t bound) {
    __extension__ typedef unsigned __int128 Wide;
    Wide product = Wide{next64()} * bound;
    if (uint64_t(product) < bound)
      for (uint64_t reject = -bound % bound; uint64_t(product) < reject;)
        product = Wide{next64()} * bound;
    return uint64_t(product >> 64);
  }

  runtime::PhiloxKey key;
  runtime::PhiloxCounter counter;
  runtime::PhiloxCounter block{};
  int used = 4;
};

} // namespace stretto::tasks
