// Rows of operands and results as they lie in memory, of one type or another.
#pragma once

#include "runtime/device/cpu/tiles/matrix.h"

#include <cstdint>

namespace stretto::runtime {

// Rows `stride` elements apart; stride 0: all are the same. Null data: not given.
struct TypedRows {
  void *data = nullptr;
  int64_t stride = 0;
  int32_t dtype = 0; // stretto_dtype
  explicit operator bool() const { return data != nullptr; }
};

// Whether rows of that type lie in memory as they are computed with.
template <typename Real> bool isPlain(const TypedRows &rows);
// Where plain rows have a number.
template <typename Real> Real *placeIn(const TypedRows &rows, int64_t row, int64_t column) {
  return static_cast<Real *>(rows.data) + row * rows.stride + column;
}
// Rows of an operand: in place, or in `buffer`.
template <typename Real>
tiles::Matrix<const Real> readRows(const TypedRows &rows, int64_t first, int64_t count, int64_t column, int64_t columns,
                                   Real *buffer);
// Stores rows of a result, every `step`-th of `from`, unless they are in place.
template <typename Real>
void storeRows(const TypedRows &rows, int64_t first, int64_t count, int64_t column, int64_t columns,
               tiles::Matrix<const Real> from, int64_t step);

} // namespace stretto::runtime
