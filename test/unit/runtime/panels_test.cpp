// Panels against the numbers of the matrix, one by one.
#include "runtime/device/cpu/mixer/panels.h"

#include <gtest/gtest.h>
#include <vector>

using namespace stretto::runtime::mixer;

namespace {

constexpr int64_t gap = 3; // numbers between rows
constexpr int untouched = -77;

template <typename Real> void compare(int64_t terms, int64_t columns, bool transposed, Panels panels) {
  const int64_t rows = transposed ? columns : terms, stride = (transposed ? terms : columns) + gap;
  const int64_t count = (columns + panels.width - 1) / panels.width, distance = panels.distance(terms);
  std::vector<Real> from(rows * stride), to(count * distance, untouched), expected = to;
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<Real>(i);
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t t = 0; t < terms; ++t)
      expected[column / panels.width * distance + t * panels.width + column % panels.width] =
          from[transposed ? column * stride + t : t * stride + column];
  packPanels(terms, columns, {from.data(), stride}, transposed, to.data(), panels);
  EXPECT_EQ(to, expected) << terms << " x " << columns << (transposed ? " transposed" : "") << " by " << panels.width;
}

TEST(Panels, AnySize) {
  for (int64_t terms : {1, 7, 8, 21, 64})
    for (int64_t columns : {0, 1, 8, 31, 32, 33, 45, 96})
      for (bool transposed : {false, true})
        for (Panels panels : {Panels{32}, Panels{16}, Panels{8}, Panels{8, 16}}) {
          compare<float>(terms, columns, transposed, panels);
          compare<double>(terms, columns, transposed, panels);
        }
}

} // namespace
