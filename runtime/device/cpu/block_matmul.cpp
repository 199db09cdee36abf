// Blocks of a matmul whose right operand lies in panels, for kernels that go on with them
// (codegen/cpu/MatmulKernel.cpp).
#include "runtime/abi/abi.h"
#include "runtime/device/cpu/mixer/matmul.h"
#include "runtime/device/cpu/mixer/panels.h"

#include <algorithm>

namespace stretto::runtime {
namespace {

using mixer::panelColumns;

// Of a panel, that stay in a first-level cache. Of a tile that is narrower than the panel these lie in half of the
// cache's sets.
int64_t panelBytes() {
  static const int64_t bytes = mixer::tileColumns() < panelColumns ? 16 << 10 : 32 << 10;
  return bytes;
}

template <typename Real>
void blockMatmul(int64_t rows, int64_t columns, int64_t depth, const Real *a, int64_t lda, const Real *panels, Real *c,
                 int64_t ldc) {
  const int64_t terms = panelBytes() / static_cast<int64_t>(panelColumns * sizeof(Real));
  using Out = mixer::Matrix<Real>;
  using In = mixer::Matrix<const Real>;
  for (int64_t p = 0; p < depth; p += terms)
    for (int64_t j = 0; j < columns; j += panelColumns) {
      const Out to{c + j, ldc};
      const In panel{panels + j * depth + p * panelColumns, panelColumns};
      mixer::matmul(rows, std::min(panelColumns, columns - j), std::min(terms, depth - p), {a + p, lda}, panel,
                    {p > 0 ? In(to) : In()}, to);
    }
}

template <typename Real>
void packPanel(int64_t depth, int64_t columns, const Real *from, int64_t stride, int64_t transposed, Real *panel) {
  if (columns < panelColumns)
    std::fill_n(panel, depth * panelColumns, Real(0));
  mixer::packPanels(depth, columns, {from, stride}, transposed, panel);
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
