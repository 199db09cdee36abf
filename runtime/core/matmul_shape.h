// Matmuls as the memory knows them that is taken for them before a program runs.
#pragma once

#include <compare>
#include <cstdint>

namespace stretto::runtime {

// Sizes of a matmul of one thread: what decides how much memory MKL takes for it.
struct MatmulShape {
  int32_t dtype;
  int64_t m, n, k;
  bool transposeA = false, transposeB = false;
  bool shared = false; // any thread may come by it, not only the calling one
  auto operator<=>(const MatmulShape &) const = default;
};

} // namespace stretto::runtime
