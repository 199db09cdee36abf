// Whole panels are moved by code of fixed sizes, what is left over number by number.
#include "runtime/device/cpu/tiles/panels.h"

#include "runtime/device/cpu/tiles/transpose_block.h"

#include <algorithm>

namespace stretto::runtime::tiles {
namespace {

// Four rows at once, in all panels: memory likes reading many places in turn, if it finds some more behind each.
template <int64_t Width, typename Real>
STRETTO_INLINE void packRows(int64_t terms, int64_t columns, Matrix<const Real> from, Real *to) {
  constexpr int64_t rows = 4;
  for (int64_t t = 0; t < terms; t += rows)
    for (int64_t begin = 0; begin < columns; begin += Width)
      for (int64_t row = t; row < std::min(t + rows, terms); ++row) {
        const Real *in = from.row(row) + begin;
        Real *out = to + begin * terms + row * Width;
        if (columns - begin >= Width)
          std::memcpy(out, in, Width * sizeof(Real));
        else
          std::copy_n(in, columns - begin, out);
      }
}

// The first `count` columns of a panel, from as many rows.
template <int64_t Width, typename Real>
STRETTO_INLINE void transposeInto(Real *panel, int64_t terms, int64_t count, Matrix<const Real> from) {
  const int64_t wholeTerms = terms / 8 * 8, wholeCount = count / 8 * 8;
  for (int64_t t = 0; t < wholeTerms; t += 8)
    for (int64_t i = 0; i < wholeCount; i += 8)
      transposeBlock(from.row(i) + t, from.stride, panel + t * Width + i, Width);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t t = i < wholeCount ? wholeTerms : 0; t < terms; ++t)
      panel[t * Width + i] = from.row(i)[t];
}

template <int64_t Width, typename Real>
STRETTO_INLINE void packTransposed(int64_t terms, int64_t columns, Matrix<const Real> from, Real *to) {
  int64_t begin = 0;
  for (; begin + Width <= columns; begin += Width, to += terms * Width)
    transposeInto<Width>(to, terms, Width, {from.row(begin), from.stride});
  transposeInto<Width>(to, terms, columns - begin, {from.row(begin), from.stride});
}

template <int64_t Width, typename Real>
STRETTO_INLINE void pack(int64_t terms, int64_t columns, Matrix<const Real> from, bool transposed, Real *to) {
  if (transposed)
    packTransposed<Width>(terms, columns, from, to);
  else
    packRows<Width>(terms, columns, from, to);
}

template <typename Real>
STRETTO_INLINE void packAny(int64_t terms, int64_t columns, Matrix<const Real> from, bool transposed, Real *to,
                            int64_t width) {
  if (width == 32)
    pack<32>(terms, columns, from, transposed, to);
  else if (width == 16)
    pack<16>(terms, columns, from, transposed, to);
  else
    pack<6>(terms, columns, from, transposed, to);
}

} // namespace

STRETTO_CLONES void packPanels(int64_t terms, int64_t columns, Matrix<const float> from, bool transposed, float *to,
                               int64_t width) {
  packAny(terms, columns, from, transposed, to, width);
}
STRETTO_CLONES void packPanels(int64_t terms, int64_t columns, Matrix<const double> from, bool transposed, double *to,
                               int64_t width) {
  packAny(terms, columns, from, transposed, to, width);
}

} // namespace stretto::runtime::tiles
