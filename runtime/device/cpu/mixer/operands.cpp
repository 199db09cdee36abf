// What all ways of computing a mixer have in common.
#include "runtime/device/cpu/mixer/operands.h"

#include "runtime/abi/abi.h"
#include "runtime/core/bf16.h"

#include <algorithm>
#include <immintrin.h>

namespace stretto::runtime::mixer {

template <typename Real> bool isPlain(const Rows &rows) {
  return rows.dtype == (sizeof(Real) == sizeof(double) ? STRETTO_F64 : STRETTO_F32);
}

template <typename Real>
tiles::Matrix<const Real> readRows(const Rows &rows, int64_t token, int64_t tokens, int64_t column, int64_t columns,
                                   Real *buffer) {
  if (isPlain<Real>(rows))
    return {placeIn<const Real>(rows, token, column), rows.stride};
  for (int64_t i = 0; i < tokens; ++i) {
    const uint16_t *narrow = placeIn<const uint16_t>(rows, token + i, column);
    std::transform(narrow, narrow + columns, buffer + i * columns, widenBf16);
  }
  return {buffer, columns};
}

template <typename Real>
void storeRows(const Rows &rows, int64_t token, int64_t tokens, int64_t column, int64_t columns,
               tiles::Matrix<const Real> from, int64_t step) {
  if (isPlain<Real>(rows) && from.data == placeIn<Real>(rows, token, column))
    return;
  for (int64_t i = 0; i < tokens; ++i) {
    const Real *row = from.row(i * step);
    if (isPlain<Real>(rows))
      std::copy_n(row, columns, placeIn<Real>(rows, token + i, column));
    else
      std::transform(row, row + columns, placeIn<uint16_t>(rows, token + i, column), roundToBf16);
  }
}

template bool isPlain<float>(const Rows &);
template tiles::Matrix<const float> readRows(const Rows &, int64_t, int64_t, int64_t, int64_t, float *);
template void storeRows(const Rows &, int64_t, int64_t, int64_t, int64_t, tiles::Matrix<const float>, int64_t);
template bool isPlain<double>(const Rows &);
template tiles::Matrix<const double> readRows(const Rows &, int64_t, int64_t, int64_t, int64_t, double *);
template void storeRows(const Rows &, int64_t, int64_t, int64_t, int64_t, tiles::Matrix<const double>, int64_t);

constexpr unsigned flushToZero = 0x8040; // flush results, take operands as zero

FlushToZero::FlushToZero() : before(_mm_getcsr()) { _mm_setcsr(before | flushToZero); }
FlushToZero::~FlushToZero() { _mm_setcsr(before); }

} // namespace stretto::runtime::mixer
