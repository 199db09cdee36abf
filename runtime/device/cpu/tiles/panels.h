// The operands of a matmul as its tiles read them best.
#pragma once

#include "runtime/device/cpu/tiles/matrix.h"

namespace stretto::runtime::tiles {

constexpr int64_t panelColumns = 32; // of kern.pack

// Copies a matrix [terms, columns], or one that lies transposed, [columns, terms]: panels of 6, 16 or 32 columns, one
// behind the other, each with its terms in order. What the last panel has beyond the columns stays as it was.
void packPanels(int64_t terms, int64_t columns, Matrix<const float> from, bool transposed, float *to,
                int64_t width = panelColumns);
void packPanels(int64_t terms, int64_t columns, Matrix<const double> from, bool transposed, double *to,
                int64_t width = panelColumns);

} // namespace stretto::runtime::tiles
