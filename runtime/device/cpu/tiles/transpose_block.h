// Transposing in registers; for functions that are compiled once per instruction set (STRETTO_CLONES).
#pragma once

#include "runtime/device/cpu/vectors.h"

namespace stretto::runtime::tiles {

// Eight numbers of f32 or f64.
template <typename Real> struct Eight {
  typedef Real Value __attribute__((vector_size(8 * sizeof(Real))));
};

#define STRETTO_PAIRS(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

// A block of 8 x 8: pairs of rows, pairs of these, halves.
template <typename Real>
STRETTO_INLINE void transposeBlock(const Real *in, int64_t inStride, Real *out, int64_t outStride) {
  using V = typename Eight<Real>::Value;
  V rows[8], pairs[8], fours[8];
  for (int i = 0; i < 8; ++i)
    std::memcpy(&rows[i], in + i * inStride, sizeof(V));
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = STRETTO_PAIRS(rows[i], rows[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[i + 1] = STRETTO_PAIRS(rows[i], rows[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4)
    for (int j = 0; j < 2; ++j) {
      fours[i + 2 * j] = STRETTO_PAIRS(pairs[i + j], pairs[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      fours[i + 2 * j + 1] = STRETTO_PAIRS(pairs[i + j], pairs[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; ++i) {
    rows[i] = STRETTO_PAIRS(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    rows[i + 4] = STRETTO_PAIRS(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (int i = 0; i < 8; ++i)
    std::memcpy(out + i * outStride, &rows[i], sizeof(V));
}

// The sum of each row of such a block, by the same exchanges.
template <typename Real> STRETTO_INLINE typename Eight<Real>::Value
sumsOfRows(const typename Eight<Real>::Value *rows) {
  using V = typename Eight<Real>::Value;
  V pairs[4], fours[2];
  for (int i = 0; i < 4; ++i)
    pairs[i] = STRETTO_PAIRS(rows[2 * i], rows[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13) +
               STRETTO_PAIRS(rows[2 * i], rows[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  for (int i = 0; i < 2; ++i)
    fours[i] = STRETTO_PAIRS(pairs[2 * i], pairs[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
               STRETTO_PAIRS(pairs[2 * i], pairs[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
  return STRETTO_PAIRS(fours[0], fours[1], 0, 1, 2, 3, 8, 9, 10, 11) +
         STRETTO_PAIRS(fours[0], fours[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

#undef STRETTO_PAIRS

} // namespace stretto::runtime::tiles
