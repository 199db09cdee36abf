// The work of attention on rows: what its bits are, whichever compiler makes it.
#include "runtime/device/cpu/softmax_rows.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace stretto::runtime;

namespace {

// 1 * 1 + (1 + e) * (e - 1), behind `before` zeros: nothing where products are rounded, e^2 by a multiply-add.
template <typename Real> Real dotBehind(int64_t before) {
  const Real e = std::ldexp(Real(1), -std::numeric_limits<Real>::digits / 2 - 2);
  const int64_t count = before + 4;
  std::vector<Real> a(count), b(count);
  a[before] = 1, b[before] = 1;
  a[before + 1] = 1 + e, b[before + 1] = e - 1;
  return dotRow(a.data(), b.data(), count);
}

TEST(SoftmaxRows, ProductsBehindTheLastVectorAreRounded) {
  for (int64_t before : {int64_t(0), rowMultiple}) {
    EXPECT_EQ(dotBehind<double>(before), 0) << before;
    EXPECT_EQ(dotBehind<float>(before), 0) << before;
  }
}

} // namespace
