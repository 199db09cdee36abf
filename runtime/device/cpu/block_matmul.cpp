// Blocks of a matmul whose right operand lies in panels, for kernels that go on with them
// (codegen/cpu/MatmulKernel.cpp).
#include "runtime/abi/abi.h"
#include "runtime/device/cpu/tiles/matmul.h"
#include "runtime/device/cpu/tiles/panels.h"

#include <algorithm>

namespace stretto::runtime {
namespace {

constexpr int64_t columnTerms = 256; // of a panel that stays in a first-level cache: 16 KB of f32 for 16 columns

// A panel of 32 columns consists of panels as wide as tiles, one behind the other.
int64_t width() { return tiles::tileColumns(); }

template <typename Real>
void blockMatmul(int64_t rows, int64_t columns, int64_t depth, const Real *a, int64_t lda, const Real *panels, Real *c,
                 int64_t ldc) {
  constexpr int64_t terms = columnTerms * sizeof(float) / sizeof(Real);
  using Out = tiles::Matrix<Real>;
  using In = tiles::Matrix<const Real>;
  for (int64_t p = 0; p < depth; p += terms)
    for (int64_t j = 0; j < columns; j += width()) {
      const Out to{c + j, ldc};
      const In panel{panels + j * depth + p * width(), width()};
      tiles::matmul(rows, std::min(width(), columns - j), std::min(terms, depth - p), {a + p, lda}, panel,
                    {p > 0 ? In(to) : In()}, to);
    }
}

template <typename Real>
void packPanel(int64_t depth, int64_t columns, const Real *from, int64_t stride, int64_t transposed, Real *panel) {
  if (columns < tiles::panelColumns)
    std::fill_n(panel, depth * tiles::panelColumns, Real(0));
  tiles::packPanels(depth, columns, {from, stride}, transposed, panel, width());
}

} // namespace
} // namespace stretto::runtime

using namespace stretto::runtime;

void stretto_block_matmul_f32(int64_t rows, int64_t columns, int64_t depth, const float *a, int64_t lda,
                              const float *panels, float *c, int64_t ldc) {
  blockMatmul(rows, columns, depth, a, lda, panels, c, ldc);
}
void stretto_block_matmul_f64(int64_t rows, int64_t columns, int64_t depth, const double *a, int64_t lda,
                              const double *panels, double *c, int64_t ldc) {
  blockMatmul(rows, columns, depth, a, lda, panels, c, ldc);
}

void stretto_pack_panel_f32(int64_t depth, int64_t columns, const float *from, int64_t stride, int64_t transposed,
                            float *panel) {
  packPanel(depth, columns, from, stride, transposed, panel);
}
void stretto_pack_panel_f64(int64_t depth, int64_t columns, const double *from, int64_t stride, int64_t transposed,
                            double *panel) {
  packPanel(depth, columns, from, stride, transposed, panel);
}
