// Matrices in memory.
#pragma once

#include <cstdint>

namespace stretto::runtime::tiles {

// Row-major; `stride` is the distance of rows in elements.
template <typename Real> struct Matrix {
  Real *data = nullptr;
  int64_t stride = 0;
  Real *row(int64_t i) const { return data + i * stride; }
  operator Matrix<const Real>() const { return {data, stride}; }
};

// out = in, transposed: [columns, rows].
void transposeRows(int64_t rows, int64_t columns, Matrix<const float> in, Matrix<float> out);
void transposeRows(int64_t rows, int64_t columns, Matrix<const double> in, Matrix<double> out);

} // namespace stretto::runtime::tiles
