// Transposing by blocks in registers; each function is compiled once per instruction set.
#include "runtime/device/cpu/tiles/matrix.h"

#include "runtime/device/cpu/tiles/transpose_block.h"

namespace stretto::runtime::tiles {

template <typename Real>
STRETTO_INLINE static void transposed(int64_t rows, int64_t columns, Matrix<const Real> in, Matrix<Real> out) {
  const int64_t wholeRows = rows / 8 * 8, wholeColumns = columns / 8 * 8;
  for (int64_t j = 0; j < wholeColumns; j += 8)
    for (int64_t i = 0; i < wholeRows; i += 8)
      transposeBlock(in.row(i) + j, in.stride, out.row(j) + i, out.stride);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = i < wholeRows ? wholeColumns : 0; j < columns; ++j)
      out.row(j)[i] = in.row(i)[j];
}

STRETTO_CLONES void transposeRows(int64_t rows, int64_t columns, Matrix<const float> in, Matrix<float> out) {
  transposed(rows, columns, in, out);
}
STRETTO_CLONES void transposeRows(int64_t rows, int64_t columns, Matrix<const double> in, Matrix<double> out) {
  transposed(rows, columns, in, out);
}

} // namespace stretto::runtime::tiles
