// Panels against the numbers of the matrix, one by one.
#include "runtime/device/cpu/tiles/panels.h"

#include <gtest/gtest.h>
#include <vector>

using namespace stretto::runtime::tiles;

namespace {

constexpr int64_t gap = 3; // numbers between rows
constexpr int untouched = -77;

template <typename Real> void compare(int64_t terms, int64_t columns, bool transposed, int64_t panel) {
  const int64_t rows = transposed ? columns : terms, stride = (transposed ? terms : columns) + gap;
  const int64_t count = (columns + panel - 1) / panel;
  std::vector<Real> from(rows * stride), to(count * terms * panel, untouched), expected = to;
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<Real>(i);
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t t = 0; t < terms; ++t)
      expected[(column / panel * terms + t) * panel + column % panel] =
          from[transposed ? column * stride + t : t * stride + column];
  packPanels(terms, columns, {from.data(), stride}, transposed, to.data(), panel);
  EXPECT_EQ(to, expected) << terms << " x " << columns << (transposed ? " transposed" : "") << " by " << panel;
}

TEST(Panels, AnySize) {
  for (int64_t terms : {1, 7, 8, 21, 64})
    for (int64_t columns : {0, 1, 8, 31, 32, 33, 45, 96})
      for (bool transposed : {false, true})
        for (int64_t panel : {32, 16, 6}) {
          compare<float>(terms, columns, transposed, panel);
          compare<double>(terms, columns, transposed, panel);
        }
}

} // namespace
