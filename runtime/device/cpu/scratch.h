// Memory of a thread for the time of an operation.
#pragma once

#include <cstdint>

namespace stretto::runtime {

// Hands out parts of it, in order, each at the begin of a cache line; with no memory, counts how much it takes.
class Scratch {
public:
  explicit Scratch(char *begin) : begin(begin) {}
  template <typename Real> Real *take(int64_t count) {
    const int64_t at = bytes;
    bytes += (count * static_cast<int64_t>(sizeof(Real)) + 63) / 64 * 64;
    return begin ? reinterpret_cast<Real *>(begin + at) : nullptr;
  }
  int64_t taken() const { return bytes; }

private:
  char *begin;
  int64_t bytes = 0;
};

} // namespace stretto::runtime
