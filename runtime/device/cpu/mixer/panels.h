// The operands of a matmul as its tiles read them best.
#pragma once

#include "runtime/device/cpu/mixer/rows.h"

namespace stretto::runtime::mixer {

constexpr int64_t panelColumns = 32; // of kern.pack

// How wide panels are, 8, 16 or 32 columns, and how many numbers are left free behind each: panels of a power of two of
// bytes would lie in the same sets of a cache.
struct Panels {
  int64_t width = panelColumns, gap = 0;
  int64_t distance(int64_t terms) const { return terms * width + gap; }
};

// Copies a matrix [terms, columns], or one that lies transposed, [columns, terms]: panels, one behind the other, each
// with its terms in order. What the last panel has beyond the columns stays as it was.
void packPanels(int64_t terms, int64_t columns, Matrix<const float> from, bool transposed, float *to,
                Panels panels = {});
void packPanels(int64_t terms, int64_t columns, Matrix<const double> from, bool transposed, double *to,
                Panels panels = {});

} // namespace stretto::runtime::mixer
