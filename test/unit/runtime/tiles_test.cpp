// Matmuls by tiles, against sums over numbers one by one.
#include "runtime/device/cpu/tiles/matmul.h"
#include "runtime/device/cpu/tiles/panels.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace stretto::runtime::tiles;

namespace {

constexpr int64_t gap = 3; // columns between rows
constexpr int untouched = -77;

bool counts(Part part, int64_t i, int64_t j) { return part == Part::all || (part == Part::lower ? j <= i : j >= i); }

// Small whole numbers, so that sums are exact in any order.
template <typename Real> std::vector<Real> numbers(int64_t rows, int64_t columns, int seed) {
  std::vector<Real> list(rows * (columns + gap));
  for (size_t i = 0; i < list.size(); ++i)
    list[i] = static_cast<Real>(static_cast<int>((i * 7 + seed) % 11) - 5);
  return list;
}

template <typename Real> struct Case {
  int64_t m, n, k;
  bool transposed = false;
  Part left = Part::all, result = Part::all;

  void check(bool adds, bool scales) const {
    std::vector<Real> a = transposed ? numbers<Real>(k, m, 1) : numbers<Real>(m, k, 1);
    const int64_t strideA = (transposed ? m : k) + gap;
    auto at = [&](int64_t i, int64_t p) -> Real & { return transposed ? a[p * strideA + i] : a[i * strideA + p]; };
    for (int64_t i = 0; i < m; ++i)
      for (int64_t p = 0; p < k; ++p)
        if (!counts(left, i, p))
          at(i, p) = 0;
    const std::vector<Real> b = numbers<Real>(k, n, 2), base = numbers<Real>(m, n, 3), factors = numbers<Real>(m, 1, 4);
    std::vector<Real> c(m * (n + gap), untouched);
    matmul(m, n, k, Left<Real>{a.data(), strideA, transposed, left}, {b.data(), n + gap},
           Base<Real>{{adds ? base.data() : nullptr, n + gap}, scales ? factors.data() : nullptr}, {c.data(), n + gap},
           result);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n + gap; ++j) {
        Real sum = adds && j < n ? base[i * (n + gap) + j] * (scales ? factors[i] : Real(1)) : Real(0);
        for (int64_t p = 0; p < k && j < n; ++p)
          sum += at(i, p) * b[p * (n + gap) + j];
        if (j >= n)
          EXPECT_EQ(c[i * (n + gap) + j], untouched) << i << ", " << j;
        else if (counts(result, i, j))
          EXPECT_EQ(c[i * (n + gap) + j], sum) << i << ", " << j;
      }
  }
};

template <typename Real> void checkAll(int64_t m, int64_t n, int64_t k) {
  SCOPED_TRACE(testing::Message() << m << " x " << n << ", " << k);
  for (bool transposed : {false, true}) {
    for (Part left : {Part::all, Part::lower, Part::upper}) {
      Case<Real>{m, n, k, transposed, left}.check(false, false);
      Case<Real>{m, n, k, transposed, left}.check(true, false);
      Case<Real>{m, n, k, transposed, left}.check(true, true);
    }
    Case<Real>{m, n, k, transposed, Part::all, Part::lower}.check(false, false);
  }
}

void checkSizes() {
  for (int64_t m : {1, 7, 8, 15, 32})
    for (int64_t n : {1, 8, 15, 16, 31, 32, 47, 64})
      for (int64_t k : {1, 7, 32}) {
        checkAll<float>(m, n, k);
        checkAll<double>(m, n, k);
      }
}

} // namespace

TEST(Tiles, isTheSumAtAnySize) { checkSizes(); }

TEST(Tiles, isTheSumInNarrowTiles) {
  NarrowTiles narrow;
  checkSizes();
}

// Rows are left out where a part allows it: what is there is not read.
TEST(Tiles, readsOnlyThePartThatCounts) {
  constexpr int64_t size = 32;
  std::vector<float> a(size * size, 1), b(size * size, 1), c(size * size);
  for (int64_t i = 0; i < size; ++i)
    for (int64_t p = i / 8 * 8 + 8; p < size; ++p)
      a[i * size + p] = NAN;
  matmul(size, size, size, Left<float>{a.data(), size, false, Part::lower}, {b.data(), size}, {}, {c.data(), size});
  EXPECT_TRUE(std::all_of(c.begin(), c.end(), [](float x) { return std::isfinite(x); }));
  matmul(size, size, size, Left<float>{a.data(), size, true, Part::upper}, {b.data(), size}, {}, {c.data(), size});
  EXPECT_TRUE(std::all_of(c.begin(), c.end(), [](float x) { return std::isfinite(x); }));
}

TEST(Tiles, readsStrips) {
  NarrowTiles narrow;
  constexpr int64_t n = 16, k = 5;
  for (int64_t m : {1, 5, 6, 8, 14, 32}) {
    const std::vector<float> a = numbers<float>(k, m, 1), b = numbers<float>(k, n, 2);
    std::vector<float> strips((m + stripRows - 1) / stripRows * stripRows * k), c(m * n), expected = c;
    packPanels(k, m, {a.data(), m + gap}, false, strips.data(), stripRows);
    matmul(m, n, k, {a.data(), m + gap, true}, {b.data(), n + gap}, {}, {expected.data(), n});
    matmul(m, n, k, {.data = strips.data(), .inStrips = true}, {b.data(), n + gap}, {}, {c.data(), n});
    EXPECT_EQ(c, expected) << m;
  }
}

// So many rows a tile, one block after the other, and none behind the last.
TEST(Tiles, bringsTheRowsAhead) {
  constexpr int64_t size = 64;
  const std::vector<float> a(size * size, 1), b = a;
  std::vector<float> c(size * size);
  auto brings = [&](std::vector<int64_t> blocks, int64_t ofTile) {
    Ahead ahead{.ofTile = ofTile};
    for (int64_t rows : blocks)
      ahead.add(Matrix<const float>{a.data(), size}, rows, size);
    matmul(size, size, size, {a.data(), size}, {b.data(), size}, {}, {c.data(), size}, Part::all, &ahead);
    std::vector<int64_t> brought;
    for (int64_t i = 0; i < ahead.added; ++i)
      brought.push_back(blocks[i] - ahead.blocks[i].rows);
    return brought;
  };
  const int64_t tiles = brings({1000}, 1).front();
  EXPECT_TRUE(tiles > 3 && tiles <= size) << tiles;
  EXPECT_EQ(brings({1000}, 2), std::vector{2 * tiles});
  EXPECT_EQ(brings({3}, 2), std::vector<int64_t>{3});
  EXPECT_EQ(brings({3, 2, 1000}, 1), (std::vector<int64_t>{3, 2, tiles - 5}));
  EXPECT_EQ(brings({0}, 1), std::vector<int64_t>());
  EXPECT_EQ(brings({-1}, 1), std::vector<int64_t>());
}
