// What a thread knows of the others where parts of a block wait for each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stretto::emulator {

// For each thread of a block a stamp (shadow.h): what that thread did with a lower one comes before everything that the
// owner of the clock does from now on. Empty in kernels where only whole blocks and warps synchronise.
class Clock {
public:
  void reset(uint32_t threads) { bounds.assign(threads, 0); }
  bool isUsed() const { return !bounds.empty(); }
  uint32_t &of(uint32_t thread) { return bounds[thread]; }
  bool knows(uint32_t thread, uint32_t stamp) const { return thread < bounds.size() && stamp < bounds[thread]; }

  // From now on the owner knows what the other clock's owner knows.
  void join(const Clock &other) {
    for (size_t i = 0; i < bounds.size(); ++i)
      bounds[i] = std::max(bounds[i], other.bounds[i]);
  }

private:
  std::vector<uint32_t> bounds;
};

} // namespace stretto::emulator
