// Matmuls on the CPU against plain loops.
#include "runtime/device/cpu/matmul.h"
#include "runtime/device/cpu/packed_matmul.h"
#include "runtime/device/cpu/tiles/matmul.h"
#include "test/unit/runtime/ops.h"

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

struct Shape {
  int64_t m, n, k;
};

template <typename Real> stretto_matmul_args arguments(Shape shape, bool ta, bool tb, bool accumulate) {
  stretto_matmul_args args{};
  args.m = shape.m, args.n = shape.n, args.k = shape.k;
  args.dtype = args.dtype_c = dtypeOf<Real>();
  args.transpose_a = ta, args.transpose_b = tb, args.accumulate = accumulate;
  args.lda = (ta ? shape.m : shape.k) + 3, args.ldb = (tb ? shape.k : shape.n) + 5, args.ldc = shape.n + 2;
  return args;
}

template <typename Real> std::vector<Real> matmul(const stretto_matmul_args &shape, int threads, const char *device) {
  Workbench bench(dtypeOf<Real>(), device);
  bench.device->setThreads(threads);
  stretto_matmul_args args = shape;
  args.a = bench.place(randomReals<Real>((args.transpose_a ? args.k : args.m) * args.lda, 1));
  args.b = bench.place(randomReals<Real>((args.transpose_b ? args.n : args.k) * args.ldb, 2));
  args.c = bench.place(randomReals<Real>(args.m * args.ldc, 3));
  stretto_matmul(&bench.context, &args);
  return bench.read<Real>(args.c, args.m * args.ldc);
}

template <typename Real> std::vector<double> reference(const stretto_matmul_args &args) {
  const auto a = randomReals<Real>((args.transpose_a ? args.k : args.m) * args.lda, 1);
  const auto b = randomReals<Real>((args.transpose_b ? args.n : args.k) * args.ldb, 2);
  const auto c = randomReals<Real>(args.m * args.ldc, 3);
  std::vector<double> result(c.begin(), c.end());
  for (int64_t i = 0; i < args.m; ++i)
    for (int64_t j = 0; j < args.n; ++j) {
      double sum = args.accumulate ? static_cast<double>(c[i * args.ldc + j]) : 0.0;
      for (int64_t l = 0; l < args.k; ++l)
        sum += static_cast<double>(args.transpose_a ? a[l * args.lda + i] : a[i * args.lda + l]) *
               static_cast<double>(args.transpose_b ? b[j * args.ldb + l] : b[l * args.ldb + j]);
      result[i * args.ldc + j] = sum;
    }
  return result;
}

template <typename Real> void compareAll() {
  for (Shape shape : {Shape{1, 1, 1}, Shape{7, 3, 5}, Shape{19, 70, 40}, Shape{130, 65, 33}, Shape{128, 170, 40},
                      Shape{96, 200, 257}, Shape{70, 600, 530}})
    for (int bits = 0; bits < 8; ++bits) {
      const auto args = arguments<Real>(shape, bits & 1, bits & 2, bits & 4);
      EXPECT_LE(relativeError(matmul<Real>(args, 2, "cpu"), reference<Real>(args)), tolerance<Real>())
          << shape.m << "x" << shape.n << "x" << shape.k << " case " << bits;
    }
}

} // namespace

TEST(Matmul, AgreesWithLoopsInF32) { compareAll<float>(); }
TEST(Matmul, AgreesWithLoopsInNarrowTiles) {
  tiles::NarrowTiles narrow;
  compareAll<float>();
  stretto_matmul_args args = arguments<float>({70, 40, 1000}, false, false, false);
  args.lda = 1024; // rows that lie in the same sets of a cache
  EXPECT_LE(relativeError(matmul<float>(args, 2, "cpu"), reference<float>(args)), tolerance<float>());
}
TEST(Matmul, AgreesWithLoopsInF64) { compareAll<double>(); }

// An residual gives the bits that C with the same content gives, whether it lies elsewhere or where C does.
TEST(Matmul, AResidualIsAddedAsCIs) {
  for (Shape shape : {Shape{7, 3, 5}, Shape{19, 70, 40}, Shape{170, 65, 33}}) {
    const auto args = arguments<float>(shape, false, true, true);
    const auto expected = matmul<float>(args, 2, "cpu");
    for (bool inPlace : {false, true}) {
      Workbench bench(STRETTO_F32);
      stretto_matmul_args added = args;
      added.accumulate = 0, added.has_residual = 1, added.ldd = args.ldc;
      added.a = bench.place(randomReals<float>(args.m * args.lda, 1));
      added.b = bench.place(randomReals<float>(args.n * args.ldb, 2));
      added.d = bench.place(randomReals<float>(args.m * args.ldc, 3));
      added.c = inPlace ? added.d : bench.place(randomReals<float>(args.m * args.ldc, 3)); // gaps between rows stay
      stretto_matmul(&bench.context, &added);
      EXPECT_EQ(bench.read<float>(added.c, args.m * args.ldc), expected) << shape.m << (inPlace ? " in place" : "");
      if (!inPlace) {
        EXPECT_EQ(bench.read<float>(added.d, args.m * args.ldc), randomReals<float>(args.m * args.ldc, 3));
      }
    }
  }
}

template <typename Real> void expectSameBits() {
  // Of the fourth, some thread counts leave tiles of a few rows, of the last, so small ones that nothing is copied.
  for (Shape shape :
       {Shape{170, 64, 2048}, Shape{64, 64, 1024}, Shape{600, 96, 64}, Shape{386, 40, 512}, Shape{800, 64, 300}}) {
    const auto args = arguments<Real>(shape, true, false, false);
    const auto one = matmul<Real>(args, 1, "cpu");
    EXPECT_EQ(one, matmul<Real>(args, 2, "cpu"));
    EXPECT_EQ(one, matmul<Real>(args, 3, "cpu"));
    EXPECT_EQ(one, matmul<Real>(args, 2, "null-async"));
  }
}

TEST(Matmul, BitsDoNotDependOnThreadsOrDevice) {
  expectSameBits<double>();
  expectSameBits<float>();
  tiles::NarrowTiles narrow;
  expectSameBits<float>();
}

TEST(Matmul, BitsDoNotDependOnTheWidthOfTiles) {
  for (int bits = 0; bits < 4; ++bits) {
    const auto args = arguments<float>({130, 600, 530}, bits & 1, bits & 2, false);
    const auto expected = matmul<float>(args, 2, "cpu");
    tiles::NarrowTiles narrow;
    EXPECT_EQ(matmul<float>(args, 2, "cpu"), expected) << "case " << bits;
  }
}

TEST(Matmul, SmallMatmulsAreStillCutIntoSeveralTiles) {
  const auto ofMkl = matmulTiles(64, 64, 2048), ours = tallTiles(64, 64, 2048, 2);
  const auto tiny = matmulTiles(16, 16, 16), oursTiny = tallTiles(16, 16, 16, 2);
  EXPECT_LT(ofMkl.rows * ofMkl.columns, 64 * 64);
  EXPECT_LT(ours.rows * ours.columns, 64 * 64);
  EXPECT_EQ(tiny.rows * tiny.columns, 16 * 16);
  EXPECT_EQ(oursTiny.rows * oursTiny.columns, 16 * 16);
}

TEST(Matmul, TilesOfOurOwnAreTall) {
  for (int64_t m : {8, 300, 1024, 1360, 5000})
    for (int64_t n : {1, 40, 256, 700, 4096})
      for (int64_t k : {64, 768}) {
        const MatmulTiles tiles = tallTiles(m, n, k, 2);
        EXPECT_LE(tiles.rows, 1024);
        EXPECT_LE(tiles.columns, 256);
        EXPECT_TRUE(tiles.rows == m || tiles.rows >= 512 || tiles.columns <= 32 || n * k <= 32768)
            << m << " x " << n << " x " << k;
      }
  EXPECT_EQ(tallTiles(2048, 64, 192, 2).columns, 64); // beside a small right operand, the left one is read once
}

TEST(Matmul, TilesOfOurOwnAreAsManyAsThreadsNeed) {
  for (int threads : {2, 3, 16, 64}) {
    const MatmulTiles tiles = tallTiles(2048, 1000, 768, threads);
    EXPECT_GE((2048 / tiles.rows) * (1000 / tiles.columns + 1), 4 * threads);
  }
  const MatmulTiles alone = tallTiles(2048, 256, 768, 1); // the fewest copies
  EXPECT_EQ(alone.rows, 1024);
  EXPECT_EQ(alone.columns, 256);
}

TEST(Matmul, LargeTilesAreAsManyAsThreadsNeed) {
  for (int threads : {1, 2, 16})
    for (int64_t m : {64, 300, 4096})
      for (int64_t n : {40, 256, 700, 4096}) {
        const MatmulTiles tiles = largeTiles(m, n, 4096, threads);
        const int64_t count = ((m + tiles.rows - 1) / tiles.rows) * ((n + tiles.columns - 1) / tiles.columns);
        EXPECT_LE(tiles.rows, 1024);
        EXPECT_LE(tiles.columns, rightColumns);
        EXPECT_TRUE(threads == 1 || count >= 2 * threads || tiles.rows * tiles.columns <= 64 * 64)
            << m << " x " << n << " " << threads;
      }
  EXPECT_EQ(largeTiles(2304, 768, 1024, 1).rows, 768); // equal parts
  EXPECT_EQ(largeTiles(768, 768, 1024, 2).rows, 384);  // as high as wide: the fewest copies
  EXPECT_EQ(largeTiles(768, 768, 1024, 2).columns, 384);
  EXPECT_EQ(largeTiles(64, 64, 16, 2).rows, 64); // too few operations to share
}

TEST(Matmul, WhatLiesTheOtherWayIsReadOnce) {
  const MatmulTiles tiles = packedTiles(768, 256, 2048, /*transposesA=*/true, /*strideA=*/768, /*threads=*/1);
  EXPECT_EQ(tiles.rows, 768);
  EXPECT_EQ(tiles.columns, 256);
}

TEST(Matmul, RefusesABufferOutsideItsArena) {
  Workbench bench(STRETTO_F32, "cpu", 1024);
  auto args = arguments<float>({16, 16, 16}, false, false, false);
  args.a = args.b = args.c = {STRETTO_ARENA_ACTIVATIONS, 0, 0};
  stretto_matmul(&bench.context, &args);
  EXPECT_THROW(bench.read<float>(args.c, 1), std::exception);
}
