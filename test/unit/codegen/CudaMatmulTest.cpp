//===- CudaMatmulTest.cpp - matmuls on tensor cores, on the emulator, against sums in f64 ----===//
#include "CudaLibrary.h"
#include "MatmulBodies.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

namespace {
void check(MatmulSizes sizes, StringRef schedule) {
  auto context = makeContext();
  auto module = parse(*context, matmulOnTensorCores(sizes, schedule));
  ASSERT_TRUE(module);
  CudaLibrary library(*module);
  ASSERT_TRUE(library.isLoaded());
  EXPECT_EQ(checkKernel(kernelsOf(*module)[0], library, 1), "");
}

TEST(CudaMatmul, OneTileOfOneStep) { check({}, "run 1, tile_rows 128, tile_columns 128, stages 2, blocks 1"); }

/// More steps than stages; tiles that hang over in all three dimensions.
TEST(CudaMatmul, Tails) {
  check({.batch = 3, .time = 50, .depth = 200, .columns = 328},
        "run 1, tile_rows 128, tile_columns 256, stages 3, blocks 4");
}
TEST(CudaMatmul, WeightAsRows) {
  check({.batch = 2, .time = 70, .depth = 136, .columns = 200, .transposed = false},
        "run 1, tile_rows 128, tile_columns 128, stages 4, blocks 4");
}

/// Two blocks with several items of several tiles, the last of which have fewer.
TEST(CudaMatmul, SeveralItems) {
  check({.batch = 5, .time = 60, .depth = 136, .columns = 150},
        "run 2, tile_rows 64, tile_columns 64, stages 2, blocks 2");
}
TEST(CudaMatmul, SeveralItemsOfRows) {
  check({.time = 257, .depth = 64, .columns = 520, .transposed = false},
        "run 2, tile_rows 128, tile_columns 256, stages 2, blocks 2");
}

/// Columns of which no two, and only pairs, lie at even addresses.
TEST(CudaMatmul, OddColumns) {
  check({.time = 5, .columns = 37}, "run 1, tile_rows 64, tile_columns 64, stages 2, blocks 1");
}
TEST(CudaMatmul, EvenColumns) {
  check({.time = 1, .columns = 70}, "run 3, tile_rows 64, tile_columns 128, stages 8, blocks 9");
}
} // namespace
