//===- CudaMatmulTest.cpp - matmuls on tensor cores, on the emulator, against sums in f64 ----===//
#include "CudaLibrary.h"
#include "MatmulBodies.h"

#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

namespace {
void checkText(const std::string &text) {
  auto context = makeContext();
  auto module = parse(*context, text);
  ASSERT_TRUE(module);
  CudaLibrary library(*module);
  ASSERT_TRUE(library.isLoaded());
  EXPECT_EQ(checkKernel(kernelsOf(*module)[0], library, 1), "");
}

void check(MatmulSizes sizes, StringRef schedule) { checkText(matmulOnTensorCores(sizes, schedule)); }

TEST(CudaMatmul, OneTileOfOneStep) {
  check({}, "run 128, tile_rows 128, pieces 1, strip 128, stages 2, blocks 1, warps 3, threads 32, rows 2, lanes 4");
}

/// More steps than stages; tiles that hang over in all three dimensions.
TEST(CudaMatmul, Tails) {
  check({.batch = 3, .time = 50, .depth = 200, .columns = 328},
        "run 128, tile_rows 128, pieces 1, strip 256, stages 3, blocks 4, warps 3, threads 32, rows 2, lanes 8");
}
TEST(CudaMatmul, WeightAsRows) {
  check({.batch = 2, .time = 70, .depth = 136, .columns = 200, .transposed = false},
        "run 128, tile_rows 128, pieces 1, strip 128, stages 4, blocks 4, warps 3, threads 32, rows 2, lanes 4");
}

/// Two blocks with several items of several tiles, the last of which have fewer.
TEST(CudaMatmul, SeveralItems) {
  check({.batch = 5, .time = 60, .depth = 136, .columns = 150},
        "run 128, tile_rows 64, pieces 1, strip 64, stages 2, blocks 2, warps 3, threads 32, rows 2, lanes 2");
}
TEST(CudaMatmul, SeveralItemsOfRows) {
  check({.time = 257, .depth = 64, .columns = 520, .transposed = false},
        "run 256, tile_rows 128, pieces 1, strip 256, stages 2, blocks 2, warps 3, threads 32, rows 2, lanes 8");
}

/// Runs that begin and end inside of sequences, each for itself; whole sequences; all in one run.
void checkTaps(StringRef cluster) {
  for (auto [run, chunks] : {std::pair(90, 9), {71, 9}, {142, 6}, {500, 3}}) {
    std::string schedule = "run " + std::to_string(run) +
                           ", tile_rows 64, pieces 1, strip 32, stages 2, blocks 2, "
                           "warps 3, threads 32, rows 2, lanes 1" +
                           cluster.str();
    checkText(tapsOnTensorCores({.batch = 3, .time = 71, .depth = 72, .columns = 80}, schedule, chunks));
  }
}
TEST(CudaMatmul, TapsOverRuns) { checkTaps(""); }
TEST(CudaMatmul, TapsOverRunsInClusters) { checkTaps(", cluster 2"); }

/// Runs of one size, that divide clusters; a last one with fewer tiles; an odd number of them; one for all blocks.
TEST(CudaMatmul, Clusters) {
  for (auto [run, cluster, blocks] :
       {std::tuple(64, 2, 4), {100, 2, 2}, {80, 2, 6}, {1, 2, 2}, {500, 2, 4}, {40, 4, 4}, {30, 8, 8}})
    check({.batch = 2, .time = 96, .depth = 200, .columns = 150},
          llvm::formatv("run {0}, tile_rows 64, pieces 1, strip 64, stages 2, blocks {1}, warps 3, threads 32, rows 2, "
                        "lanes 2, cluster {2}",
                        run, blocks, cluster)
              .str());
}

/// A square of 64 columns of such a weight, and several.
TEST(CudaMatmul, ClustersWithWeightAsRows) {
  for (auto [strip, cluster] : {std::pair(64, 2), {192, 2}, {64, 8}})
    check({.batch = 2, .time = 70, .depth = 136, .columns = 200, .transposed = false},
          llvm::formatv("run 64, tile_rows 64, pieces 1, strip {0}, stages 3, blocks 8, warps 3, threads 32, rows 2, "
                        "lanes 2, cluster {1}",
                        strip, cluster)
              .str());
}

/// Two pieces of a strip, each of which comes in parts.
TEST(CudaMatmul, ClustersWithPieces) {
  check({.batch = 3, .time = 71, .depth = 72, .columns = 96},
        "run 128, tile_rows 128, pieces 2, strip 16, stages 2, blocks 2, warps 3, threads 32, rows 2, lanes 2, cluster "
        "2");
}

/// Tables that one head of a group brings for all: in one warp, in several; of the last strip there is one head alone.
TEST(CudaMatmul, Tables) {
  for (const char *layout : {"warps 4, threads 32, rows 2, lanes 4", "warps 3, threads 64, rows 1, lanes 2",
                             "warps 8, threads 128, rows 3, lanes 1"})
    checkText(
        tablesOnTensorCores({.batch = 3, .time = 71, .depth = 72, .columns = 160},
                            std::string("run 90, tile_rows 128, pieces 1, strip 128, stages 2, blocks 2, ") + layout));
}

/// Strips of which each has a reduction that the other has not.
TEST(CudaMatmul, ReductionsOfStrips) {
  checkText(reductionsOnTensorCores(
      {.batch = 2, .time = 50, .depth = 72, .columns = 128},
      "run 64, tile_rows 64, pieces 1, strip 64, stages 2, blocks 2, warps 4, threads 64, rows 2, lanes 2"));
}

/// Sums of columns to which several heads add meet in shared memory, behind the tiles.
TEST(CudaMatmul, SumsOfHeads) {
  checkText(sumsOfHeadsOnTensorCores(
      {.batch = 3, .time = 71, .depth = 72, .columns = 96},
      "run 90, tile_rows 64, pieces 1, strip 96, stages 2, blocks 2, warps 3, threads 32, rows 2, lanes 2", 9));
}
/// Each strip has some columns of all heads.
TEST(CudaMatmul, SumsOfHeadsInStrips) {
  checkText(sumsOfHeadsOnTensorCores(
      {.batch = 3, .time = 71, .depth = 72, .columns = 96},
      "run 90, tile_rows 64, pieces 3, strip 16, stages 2, blocks 2, warps 3, threads 32, rows 2, lanes 2", 9));
}

/// Columns of which some strips have those before a bound, and some those behind it.
TEST(CudaMatmul, MaskedColumns) {
  checkText(maskedOnTensorCores(
      {.time = 60, .depth = 72, .columns = 150},
      "run 64, tile_rows 64, pieces 1, strip 64, stages 2, blocks 2, warps 3, threads 32, rows 2, lanes 2", 100));
}

/// Columns of which no two, and only pairs, lie at even addresses.
TEST(CudaMatmul, OddColumns) {
  check({.time = 5, .columns = 37},
        "run 64, tile_rows 64, pieces 1, strip 64, stages 2, blocks 1, warps 3, threads 32, rows 2, lanes 2");
}
TEST(CudaMatmul, EvenColumns) {
  check({.time = 1, .columns = 70},
        "run 192, tile_rows 64, pieces 1, strip 128, stages 8, blocks 9, warps 3, threads 32, rows 2, lanes 4");
}
} // namespace
