// Panels against the numbers of the matrix, one by one.
#include "runtime/device/cpu/mixer/panels.h"

#include <gtest/gtest.h>
#include <vector>

using namespace stretto::runtime::mixer;

namespace {

constexpr int64_t gap = 3; // numbers between rows
constexpr int untouched = -77;

template <typename Real> void compare(int64_t terms, int64_t columns, bool transposed) {
  const int64_t rows = transposed ? columns : terms, stride = (transposed ? terms : columns) + gap;
  const int64_t panels = (columns + panelColumns - 1) / panelColumns;
  std::vector<Real> from(rows * stride), to(panels * terms * panelColumns, untouched);
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<Real>(i);
  packPanels(terms, columns, {from.data(), stride}, transposed, to.data());
  for (int64_t column = 0; column < panels * panelColumns; ++column)
    for (int64_t t = 0; t < terms; ++t) {
      const int64_t at = transposed ? column * stride + t : t * stride + column;
      EXPECT_EQ(to[(column / panelColumns * terms + t) * panelColumns + column % panelColumns],
                column < columns ? from[at] : untouched)
          << terms << " x " << columns << (transposed ? " transposed" : "") << ": " << t << ", " << column;
    }
}

TEST(Panels, AnySize) {
  for (int64_t terms : {1, 7, 8, 21, 64})
    for (int64_t columns : {0, 1, 8, 31, 32, 33, 45, 96})
      for (bool transposed : {false, true}) {
        compare<float>(terms, columns, transposed);
        compare<double>(terms, columns, transposed);
      }
}

} // namespace
