// Rows of operands and results as they lie in memory.
#include "runtime/device/cpu/typed_rows.h"

#include "runtime/abi/abi.h"
#include "runtime/core/bf16.h"

#include <algorithm>

namespace stretto::runtime {

template <typename Real> bool isPlain(const TypedRows &rows) {
  return rows.dtype == (sizeof(Real) == sizeof(double) ? STRETTO_F64 : STRETTO_F32);
}

template <typename Real>
tiles::Matrix<const Real> readRows(const TypedRows &rows, int64_t first, int64_t count, int64_t column, int64_t columns,
                                   Real *buffer) {
  if (isPlain<Real>(rows))
    return {placeIn<const Real>(rows, first, column), rows.stride};
  for (int64_t i = 0; i < count; ++i) {
    const uint16_t *narrow = placeIn<const uint16_t>(rows, first + i, column);
    std::transform(narrow, narrow + columns, buffer + i * columns, widenBf16);
  }
  return {buffer, columns};
}

template <typename Real>
void storeRows(const TypedRows &rows, int64_t first, int64_t count, int64_t column, int64_t columns,
               tiles::Matrix<const Real> from, int64_t step) {
  if (isPlain<Real>(rows) && from.data == placeIn<Real>(rows, first, column))
    return;
  for (int64_t i = 0; i < count; ++i) {
    const Real *row = from.row(i * step);
    if (isPlain<Real>(rows))
      std::copy_n(row, columns, placeIn<Real>(rows, first + i, column));
    else
      std::transform(row, row + columns, placeIn<uint16_t>(rows, first + i, column), roundToBf16);
  }
}

template bool isPlain<float>(const TypedRows &);
template tiles::Matrix<const float> readRows(const TypedRows &, int64_t, int64_t, int64_t, int64_t, float *);
template void storeRows(const TypedRows &, int64_t, int64_t, int64_t, int64_t, tiles::Matrix<const float>, int64_t);
template bool isPlain<double>(const TypedRows &);
template tiles::Matrix<const double> readRows(const TypedRows &, int64_t, int64_t, int64_t, int64_t, double *);
template void storeRows(const TypedRows &, int64_t, int64_t, int64_t, int64_t, tiles::Matrix<const double>, int64_t);

} // namespace stretto::runtime
