//===- CudaRowwiseTest.cpp - CUDA kernels on the emulator against the interpreter -----------===//
#include "Bodies.h"
#include "CudaLibrary.h"
#include "RandomBody.h"

#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

namespace {
void checkAll(ModuleOp module, CudaSchedule schedule, uint64_t seed) {
  auto scheduled = scheduleForCuda(module, schedule);
  ASSERT_TRUE(scheduled);
  CudaLibrary library(*scheduled);
  ASSERT_TRUE(library.isLoaded());
  for (Operation *kernel : kernelsOf(*scheduled))
    EXPECT_EQ(checkKernel(kernel, library, seed++), "");
}

/// All bodies under one schedule; `bf16`: what is stored has that type.
void checkBodies(Sizes sizes, CudaSchedule schedule = {}, bool bf16 = false) {
  auto context = makeContext();
  std::string text;
  for (unsigned i = 0; i < bodyCount; ++i)
    text += fill(bodies[i], sizes);
  auto module = parse(*context, text);
  ASSERT_TRUE(module);
  if (bf16)
    storeAsBf16(*module);
  checkAll(*module, schedule, 100);
}

void checkRandom(uint64_t firstSeed, int count, CudaSchedule schedule = {}, bool bf16 = false) {
  auto context = makeContext();
  std::string text;
  for (int i = 0; i < count; ++i)
    text += randomBody("body" + std::to_string(i), firstSeed + i);
  auto module = parse(*context, text);
  ASSERT_TRUE(module) << text;
  if (bf16)
    storeAsBf16(*module);
  checkAll(*module, schedule, firstSeed);
}

TEST(CudaRowwise, WholeVectors) { checkBodies({.columns = 128}); }
TEST(CudaRowwise, Tails) { checkBodies({.batch = 1, .columns = 100}); }
TEST(CudaRowwise, NarrowerThanOneVector) { checkBodies({.columns = 5, .heads = 1}); }
TEST(CudaRowwise, OddHeads) { checkBodies({.columns = 51, .heads = 3}, {.lanes = 4, .threads = 32}); }
TEST(CudaRowwise, Double) { checkBodies({.columns = 40, .real = "f64"}); }
TEST(CudaRowwise, DoubleTails) {
  checkBodies({.time = 9, .columns = 34, .real = "f64"},
              {.rows = 2, .lanes = 2, .chunk = 4, .threads = 16, .groups = 2});
}
TEST(CudaRowwise, Bf16) { checkBodies({.columns = 64}, {}, true); }
TEST(CudaRowwise, Bf16Tails) {
  checkBodies({.time = 13, .columns = 36}, {.rows = 3, .lanes = 8, .chunk = 5, .threads = 32, .groups = 1}, true);
}
TEST(CudaRowwise, OneRow) { checkBodies({.batch = 3, .time = 1}); }
TEST(CudaRowwise, ShorterThanTheTaps) { checkBodies({.time = 2}, {.rows = 2, .lanes = 1}); }
TEST(CudaRowwise, ChunksOfOneRow) {
  checkBodies({.time = 7}, {.rows = 1, .lanes = 2, .chunk = 1, .threads = 8, .groups = 4});
}
TEST(CudaRowwise, RaggedSteps) {
  checkBodies({.time = 21}, {.rows = 2, .lanes = 4, .chunk = 5, .threads = 16, .groups = 4});
}
TEST(CudaRowwise, ThreeRows) {
  checkBodies({.time = 33}, {.rows = 3, .lanes = 1, .chunk = 16, .threads = 32, .groups = 2});
}
TEST(CudaRowwise, FourRowsLongChunk) {
  checkBodies({.time = 18, .columns = 100}, {.rows = 4, .lanes = 4, .chunk = 64, .threads = 96, .groups = 1});
}
/// Reductions of reductions, one row ahead of each other; the last chunk of a sequence has one row.
TEST(CudaRowwise, StaggeredStages) {
  checkBodies({.time = 21, .columns = 100}, {.rows = 1, .lanes = 2, .chunk = 5, .threads = 64, .groups = 2});
}
TEST(CudaRowwise, StaggeredStagesBf16) {
  checkBodies({.time = 16, .columns = 100}, {.rows = 1, .lanes = 4, .chunk = 8, .threads = 96, .groups = 1}, true);
}
/// Rows of which a thread visits its columns in loops, several at a time.
TEST(CudaRowwise, LoopsOverColumns) {
  checkBodies({.time = 9, .columns = 300}, {.rows = 4, .lanes = 4, .chunk = 4, .threads = 2, .groups = 16});
}
/// Steps without masks in front of those at the end of a sequence.
TEST(CudaRowwise, SureStepsFirst) {
  checkBodies({.time = 47, .columns = 100}, {.rows = 2, .lanes = 4, .chunk = 16, .threads = 32, .groups = 2});
}
TEST(CudaRowwise, SureStepsFirstInTiles) {
  checkBodies({.time = 64, .columns = 100},
              {.rows = 4, .lanes = 2, .chunk = 32, .threads = 8, .groups = 4, .tiles = 7});
}
TEST(CudaRowwise, Tiles) {
  checkBodies({.columns = 100}, {.rows = 1, .lanes = 2, .chunk = 16, .threads = 8, .groups = 4, .tiles = 7});
}
TEST(CudaRowwise, MoreThreadsThanColumns) {
  checkBodies({.columns = 30}, {.rows = 2, .lanes = 4, .chunk = 5, .threads = 160, .groups = 2});
}

/// Rows on their way to shared memory for some steps; ragged ones, and more places than a chunk has steps.
TEST(CudaRowwise, Places) {
  checkBodies({.time = 47, .columns = 100},
              {.rows = 2, .lanes = 4, .chunk = 16, .threads = 32, .groups = 2, .places = 4});
}
TEST(CudaRowwise, MorePlacesThanSteps) {
  checkBodies({.time = 21}, {.rows = 2, .lanes = 4, .chunk = 5, .threads = 16, .groups = 4, .places = 8});
}
TEST(CudaRowwise, PlacesOfOneRow) {
  checkBodies({.time = 33, .columns = 64}, {.rows = 1, .lanes = 8, .chunk = 32, .threads = 32, .places = 2}, true);
}
TEST(CudaRowwise, PlacesInTiles) {
  checkBodies({.time = 64, .columns = 100},
              {.rows = 4, .lanes = 2, .chunk = 32, .threads = 8, .groups = 4, .tiles = 7, .places = 4});
}
TEST(CudaRowwise, PlacesOfWideRows) {
  checkBodies({.time = 9, .columns = 300},
              {.rows = 2, .lanes = 4, .chunk = 9, .threads = 2, .groups = 16, .places = 4});
}
TEST(CudaRowwise, PlacesOfDoubles) {
  checkBodies({.time = 29, .columns = 34, .real = "f64"},
              {.rows = 2, .lanes = 2, .chunk = 12, .threads = 16, .groups = 2, .places = 4});
}

/// Threads of a group read one number of a table. The last chunk of a sequence has fewer steps without masks, so its
/// group leaves their loop before others of the block do.
TEST(CudaRowwise, PlacesOfSharedTables) {
  auto context = makeContext();
  auto module = parse(*context, R"(
func.func @turned(%x: tensor<2x64x32xf32>, %table: tensor<64x16xf32>) {
  %0 = kern.rowwise(%x, %table) maps [row, time] {
  ^bb0(%a: tensor<32xf32>, %t: tensor<16xf32>):
    %heads = seq.reshape %a : tensor<32xf32> -> tensor<2x16xf32>
    %both = seq.broadcast %t dims [1] : tensor<16xf32> -> tensor<2x16xf32>
    %turned = arith.mulf %heads, %both : tensor<2x16xf32>
    %row = seq.reshape %turned : tensor<2x16xf32> -> tensor<32xf32>
    %after = seq.tap %row by 3 : tensor<32xf32>
    %sum = arith.addf %row, %after : tensor<32xf32>
    kern.yield %sum : tensor<32xf32>
  } : (tensor<2x64x32xf32>, tensor<64x16xf32>) -> tensor<2x64x32xf32>
  return
})");
  ASSERT_TRUE(module);
  for (int threads : {8, 32, 64})
    checkAll(*module, {.rows = 2, .lanes = 4, .chunk = 16, .threads = threads, .groups = 128 / threads, .places = 4},
             1);
}

/// Sections that share nothing in thread blocks of their own: two that sum along heads, one of them also over rows and
/// heads; one that sums nothing; narrow ones together.
TEST(CudaRowwise, PartsWithSumsInTiles) {
  auto context = makeContext();
  auto module = parse(*context, R"(
func.func @parts(%x: tensor<2x13x102xf32>, %gain: tensor<8xf32>) {
  %0:6 = kern.rowwise(%x, %gain) maps [row, shared] {
  ^bb0(%a: tensor<102xf32>, %g: tensor<8xf32>):
    %q = seq.slice %a at 0 : tensor<102xf32> -> tensor<24xf32>
    %k = seq.slice %a at 24 : tensor<102xf32> -> tensor<24xf32>
    %v = seq.slice %a at 48 : tensor<102xf32> -> tensor<48xf32>
    %b = seq.slice %a at 96 : tensor<102xf32> -> tensor<3xf32>
    %c = seq.slice %a at 99 : tensor<102xf32> -> tensor<3xf32>
    %before = seq.tap %q by -2 : tensor<24xf32>
    %near = arith.addf %q, %before : tensor<24xf32>
    %qh = seq.reshape %near : tensor<24xf32> -> tensor<3x8xf32>
    %qs = seq.reduce add %qh : tensor<3x8xf32> -> tensor<3xf32>
    %qb = seq.broadcast %qs dims [0] : tensor<3xf32> -> tensor<3x8xf32>
    %qn = arith.mulf %qh, %qb : tensor<3x8xf32>
    %kh = seq.reshape %k : tensor<24xf32> -> tensor<3x8xf32>
    %gh = seq.broadcast %g dims [1] : tensor<8xf32> -> tensor<3x8xf32>
    %kg = arith.mulf %kh, %gh : tensor<3x8xf32>
    %ks = seq.reduce add %kg : tensor<3x8xf32> -> tensor<3xf32>
    %after = seq.tap %ks by 1 : tensor<3xf32>
    %kb = seq.broadcast %after dims [0] : tensor<3xf32> -> tensor<3x8xf32>
    %kn = arith.mulf %kh, %kb : tensor<3x8xf32>
    %sum = seq.column_sum %kn : tensor<3x8xf32> -> tensor<8xf32>
    %vn = arith.mulf %v, %v : tensor<48xf32>
    %bn = arith.mulf %b, %b : tensor<3xf32>
    %cn = arith.addf %c, %c : tensor<3xf32>
    kern.yield %qn, %kn, %vn, %bn, %cn, %sum : tensor<3x8xf32>, tensor<3x8xf32>, tensor<48xf32>, tensor<3xf32>, tensor<3xf32>, tensor<8xf32>
  } : (tensor<2x13x102xf32>, tensor<8xf32>) -> (tensor<2x13x3x8xf32>, tensor<2x13x3x8xf32>, tensor<2x13x48xf32>, tensor<2x13x3xf32>, tensor<2x13x3xf32>, tensor<8xf32>)
  return
})");
  ASSERT_TRUE(module);
  for (int rows : {1, 2})
    for (int threads : {8, 32, 64})
      checkAll(*module, {.rows = rows, .lanes = 2, .chunk = 5, .threads = threads, .groups = 64 / threads, .tiles = 4},
               1);
}

/// Taps near by, some steps away and beyond the ends of a sequence, of what is loaded, computed and summed along rows.
constexpr const char *farTaps = R"(
func.func @far(%x: tensor<2x61x72xf32>, %y: tensor<2x61x72xf32>) {
  %0:4 = kern.rowwise(%x, %y) maps [row, row] {
  ^bb0(%a: tensor<72xf32>, %b: tensor<72xf32>):
    %s = seq.sigmoid %b : tensor<72xf32>
    %t1 = seq.tap %a by -1 : tensor<72xf32>
    %t5 = seq.tap %a by -5 : tensor<72xf32>
    %t17 = seq.tap %a by -17 : tensor<72xf32>
    %t18 = seq.tap %a by -18 : tensor<72xf32>
    %t40 = seq.tap %s by -40 : tensor<72xf32>
    %t500 = seq.tap %s by -500 : tensor<72xf32>
    %near = arith.addf %t1, %t5 : tensor<72xf32>
    %far = arith.mulf %t17, %t18 : tensor<72xf32>
    %both = arith.addf %near, %far : tensor<72xf32>
    %gate = arith.subf %t40, %t500 : tensor<72xf32>
    %p = arith.mulf %both, %gate : tensor<72xf32>
    %before = seq.tap %p by -9 : tensor<72xf32>
    %behind = seq.tap %p by 3 : tensor<72xf32>
    %farBehind = seq.tap %p by 40 : tensor<72xf32>
    %r0 = arith.addf %before, %behind : tensor<72xf32>
    %r = arith.addf %r0, %farBehind : tensor<72xf32>
    %ab = arith.mulf %a, %t40 : tensor<72xf32>
    %sum = seq.column_sum %ab : tensor<72xf32> -> tensor<72xf32>
    %row = seq.reduce add %b : tensor<72xf32> -> tensor<f32>
    %rowBefore = seq.tap %row by -12 : tensor<f32>
    %all = seq.broadcast %rowBefore dims [] : tensor<f32> -> tensor<72xf32>
    %scaled = arith.mulf %b, %all : tensor<72xf32>
    kern.yield %p, %r, %scaled, %sum : tensor<72xf32>, tensor<72xf32>, tensor<72xf32>, tensor<72xf32>
  } : (tensor<2x61x72xf32>, tensor<2x61x72xf32>) -> (tensor<2x61x72xf32>, tensor<2x61x72xf32>, tensor<2x61x72xf32>, tensor<72xf32>)
  return
})";

void checkFarTaps(CudaSchedule schedule, bool bf16 = false) {
  auto context = makeContext();
  auto module = parse(*context, farTaps);
  ASSERT_TRUE(module);
  if (bf16)
    storeAsBf16(*module);
  checkAll(*module, schedule, 1);
}

TEST(CudaRowwise, FarTaps) { checkFarTaps({}); }
TEST(CudaRowwise, FarTapsOfSteps) {
  for (int rows : {1, 2, 4})
    checkFarTaps({.rows = rows, .lanes = 2, .chunk = 16, .threads = 16, .groups = 2});
}
TEST(CudaRowwise, FarTapsThroughPlaces) {
  checkFarTaps({.rows = 2, .lanes = 4, .chunk = 32, .threads = 32, .groups = 1, .places = 4});
}
TEST(CudaRowwise, FarTapsInLoops) {
  checkFarTaps({.rows = 2, .lanes = 1, .chunk = 8, .threads = 1, .groups = 32}, true);
}

/// Many taps, so many rows apart, of what is loaded and of a gate: registers cannot hold the rows between them.
void checkManyTaps(int count, int apart) {
  std::string body = "%r0 = arith.mulf %a, %g : tensor<24xf32>\n";
  for (int i = 1; i <= count; ++i)
    body += llvm::formatv("%t{0} = seq.tap %a by {1} : tensor<24xf32>\n"
                          "%u{0} = seq.tap %g by {2} : tensor<24xf32>\n"
                          "%p{0} = arith.mulf %t{0}, %u{0} : tensor<24xf32>\n"
                          "%r{0} = arith.addf %r{3}, %p{0} : tensor<24xf32>\n",
                          i, -apart * i, apart * i, i - 1);
  std::string text = "func.func @many(%x: tensor<1x95x24xf32>) {\n"
                     "%0 = kern.rowwise(%x) maps [row] {\n^bb0(%a: tensor<24xf32>):\n"
                     "%g = seq.sigmoid %a : tensor<24xf32>\n" +
                     body + "kern.yield %r" + std::to_string(count) +
                     " : tensor<24xf32>\n} : (tensor<1x95x24xf32>) -> tensor<1x95x24xf32>\nreturn\n}";
  auto context = makeContext();
  auto module = parse(*context, text);
  ASSERT_TRUE(module);
  checkAll(*module, {}, 1);
  checkAll(*module, {.rows = 2, .lanes = 2, .chunk = 16, .threads = 16, .groups = 2}, 1);
}

TEST(CudaRowwise, ManyTapsApart) { checkManyTaps(10, 6); }
TEST(CudaRowwise, ManyTapsSideBySide) { checkManyTaps(36, 1); }

/// A row of which columns from `bound` on are masked; a thread has columns 0 to 31 first, then those from 32 on, or
/// visits all in a loop.
void checkMasked(int bound) {
  std::string text = llvm::formatv(R"(
func.func @masked(%x: tensor<2x9x100xf32>) {
  %0:2 = kern.rowwise(%x) maps [row] {
  ^bb0(%a: tensor<100xf32>):
    %j = seq.column_index : tensor<100xf32>
    %bound = arith.constant dense<{0}.0> : tensor<100xf32>
    %zero = arith.constant dense<0.0> : tensor<100xf32>
    %isBefore = arith.cmpf olt, %j, %bound : tensor<100xf32>
    %y = arith.select %isBefore, %a, %zero : tensor<100xi1>, tensor<100xf32>
    %sum = seq.reduce add %y : tensor<100xf32> -> tensor<f32>
    kern.yield %y, %sum : tensor<100xf32>, tensor<f32>
  } : (tensor<2x9x100xf32>) -> (tensor<2x9x100xf32>, tensor<2x9xf32>)
  return
})",
                                   bound);
  auto context = makeContext();
  auto module = parse(*context, text);
  ASSERT_TRUE(module);
  checkAll(*module, {.rows = 1, .lanes = 4, .chunk = 5, .threads = 8, .groups = 4}, 1);
  checkAll(*module, {.rows = 1, .lanes = 4, .chunk = 5, .threads = 1, .groups = 32}, 1);
}
TEST(CudaRowwise, MaskedColumns) {
  for (int bound : {31, 32, 33, 61, 64, 97})
    checkMasked(bound);
}

/// A sum to which two parts, in thread blocks of their own that visit their columns in loops, add one half each.
TEST(CudaRowwise, SumsOfWideParts) {
  auto context = makeContext();
  auto module = parse(*context, R"(
func.func @halves(%x: tensor<2x9x192xf32>) {
  %0 = kern.rowwise(%x) maps [row] {
  ^bb0(%a: tensor<192xf32>):
    %q = seq.slice %a at 0 : tensor<192xf32> -> tensor<96xf32>
    %k = seq.slice %a at 96 : tensor<192xf32> -> tensor<96xf32>
    %qs = seq.reduce add %q : tensor<96xf32> -> tensor<f32>
    %qb = seq.broadcast %qs dims [] : tensor<f32> -> tensor<96xf32>
    %qn = arith.mulf %q, %qb : tensor<96xf32>
    %ks = seq.reduce add %k : tensor<96xf32> -> tensor<f32>
    %kb = seq.broadcast %ks dims [] : tensor<f32> -> tensor<96xf32>
    %kn = arith.mulf %k, %kb : tensor<96xf32>
    %both = seq.concat %qn, %kn : tensor<96xf32>, tensor<96xf32> -> tensor<192xf32>
    %sum = seq.column_sum %both : tensor<192xf32> -> tensor<192xf32>
    kern.yield %sum : tensor<192xf32>
  } : (tensor<2x9x192xf32>) -> tensor<192xf32>
  return
})");
  ASSERT_TRUE(module);
  checkAll(*module, {.rows = 1, .lanes = 2, .chunk = 4, .threads = 1, .groups = 32, .tiles = 2}, 1);
}

/// Columns that a thread visits in a loop, two slices of which add to the same sums: the second reads what the first
/// has stored.
TEST(CudaRowwise, SumsOfSlicesOfWideRows) {
  auto context = makeContext();
  auto module = parse(*context, R"(
func.func @slices(%x: tensor<1x8x4096xf32>) {
  %0:2 = kern.rowwise(%x) maps [row] {
  ^bb0(%r: tensor<4096xf32>):
    %e = arith.mulf %r, %r : tensor<4096xf32>
    %a = seq.slice %r at 0 : tensor<4096xf32> -> tensor<128xf32>
    %c = seq.slice %r at 1024 : tensor<4096xf32> -> tensor<128xf32>
    %j = seq.concat %a, %c : tensor<128xf32>, tensor<128xf32> -> tensor<256xf32>
    %k = seq.reshape %j : tensor<256xf32> -> tensor<2x128xf32>
    %s = seq.column_sum %k : tensor<2x128xf32> -> tensor<128xf32>
    kern.yield %e, %s : tensor<4096xf32>, tensor<128xf32>
  } : (tensor<1x8x4096xf32>) -> (tensor<1x8x4096xf32>, tensor<128xf32>)
  return
})");
  ASSERT_TRUE(module);
  checkAll(*module, {.rows = 1, .lanes = 4, .chunk = 4, .threads = 32, .groups = 1}, 1);
}

/// Norms of heads of two widths, and sums of columns over heads of the second: of each head that a loop visits, some
/// elements add to columns that other heads and loops add to.
void checkUnlikeHeads(int64_t width, int64_t heads, int64_t others, CudaSchedule schedule) {
  auto context = makeContext();
  std::string text = R"(
func.func @unlike(%x: tensor<2x9x$Dxf32>) {
  %0:3 = kern.rowwise(%x) maps [row] {
  ^bb0(%a: tensor<$Dxf32>):
    %h = seq.reshape %a : tensor<$Dxf32> -> tensor<$Hxf32>
    %s = seq.reduce add %h : tensor<$Hxf32> -> tensor<$Nxf32>
    %b = seq.broadcast %s dims [0] : tensor<$Nxf32> -> tensor<$Hxf32>
    %n = arith.mulf %h, %b : tensor<$Hxf32>
    %o = seq.reshape %a : tensor<$Dxf32> -> tensor<$Oxf32>
    %t = seq.reduce max %o : tensor<$Oxf32> -> tensor<$Mxf32>
    %c = seq.broadcast %t dims [0] : tensor<$Mxf32> -> tensor<$Oxf32>
    %q = seq.reshape %n : tensor<$Hxf32> -> tensor<$Oxf32>
    %m = arith.mulf %q, %c : tensor<$Oxf32>
    %sum = seq.column_sum %m : tensor<$Oxf32> -> tensor<$Kxf32>
    %p = seq.reshape %m : tensor<$Oxf32> -> tensor<$Hxf32>
    %other = seq.column_sum %p : tensor<$Hxf32> -> tensor<$Lxf32>
    kern.yield %m, %sum, %other : tensor<$Oxf32>, tensor<$Kxf32>, tensor<$Lxf32>
  } : (tensor<2x9x$Dxf32>) -> (tensor<2x9x$Oxf32>, tensor<$Kxf32>, tensor<$Lxf32>)
  return
})";
  auto set = [&](StringRef name, const std::string &value) {
    for (size_t at; (at = text.find(name)) != text.npos;)
      text.replace(at, name.size(), value);
  };
  set("$D", std::to_string(width));
  set("$H", std::to_string(heads) + "x" + std::to_string(width / heads));
  set("$N", std::to_string(heads));
  set("$O", std::to_string(others) + "x" + std::to_string(width / others));
  set("$M", std::to_string(others));
  set("$K", std::to_string(width / others));
  set("$L", std::to_string(width / heads));
  auto module = parse(*context, text);
  ASSERT_TRUE(module);
  checkAll(*module, schedule, 1);
}

TEST(CudaRowwise, SumsOfHeadsThatShareColumns) {
  checkUnlikeHeads(12, 4, 3, {});
  checkUnlikeHeads(24, 8, 6, {.rows = 2, .lanes = 1, .chunk = 5, .threads = 32, .groups = 2});
  checkUnlikeHeads(96, 32, 24, {.rows = 1, .lanes = 1, .chunk = 4, .threads = 32, .groups = 1});
}

TEST(CudaRowwise, SumsOfWideHeadsThatShareColumns) {
  for (auto [heads, others] : {std::pair(4, 3), {240, 320}, {60, 64}})
    checkUnlikeHeads(960, heads, others, {.rows = 1, .lanes = 1, .chunk = 4, .threads = 8, .groups = 4});
}

/// Heads of 80 columns for 64 threads: in the second pass one warp is idle.
TEST(CudaRowwise, HeadsWiderThanTheirThreads) {
  checkUnlikeHeads(320, 4, 2, {.rows = 1, .lanes = 1, .chunk = 4, .threads = 64, .groups = 1});
}

/// Sums of columns that take more shared memory than a block has without asking, and rows on their way beside them.
TEST(CudaRowwise, SumsInDynamicMemory) {
  auto context = makeContext();
  auto module = parse(*context, R"(
func.func @heads(%x: tensor<1x5x2x4200xf32>) {
  %0 = kern.rowwise(%x) maps [row] {
  ^bb0(%a: tensor<2x4200xf32>):
    %sum = seq.column_sum %a : tensor<2x4200xf32> -> tensor<4200xf32>
    kern.yield %sum : tensor<4200xf32>
  } : (tensor<1x5x2x4200xf32>) -> tensor<4200xf32>
  return
})");
  ASSERT_TRUE(module);
  for (int places : {1, 2})
    checkAll(*module, {.rows = 1, .lanes = 4, .chunk = 3, .threads = 256, .groups = 1, .places = places}, 1);
}

/// Whole numbers stay so where roots ask for small ones.
TEST(CudaRowwise, RootsInPartOfADocument) {
  auto context = makeContext();
  auto module = parse(*context, R"(
func.func @roots(%x: tensor<2x19xf32>, %places: tensor<2x19xi32>) {
  %0 = kern.rowwise(%x, %places) maps [row, row] {
  ^bb0(%a: tensor<f32>, %place: tensor<i32>):
    %two = arith.constant dense<2.0> : tensor<f32>
    %root = math.sqrt %a : tensor<f32>
    %at = arith.sitofp %place : tensor<i32> to tensor<f32>
    %isLater = arith.cmpf ogt, %at, %two : tensor<f32>
    %y = arith.select %isLater, %root, %two : tensor<i1>, tensor<f32>
    kern.yield %y : tensor<f32>
  } : (tensor<2x19xf32>, tensor<2x19xi32>) -> tensor<2x19xf32>
  return
})");
  ASSERT_TRUE(module);
  checkAll(*module, {}, 1);
}

/// A softmax of a softmax: sums of exponentials are positive in models, those of any numbers may be near zero.
TEST(CudaRowwise, ExponentialsOfQuotients) {
  auto context = makeContext();
  auto module = parse(*context, R"(
func.func @quotients(%x: tensor<4x64x2xf32>) {
  %0 = kern.rowwise(%x) maps [row] {
  ^bb0(%a: tensor<2xf32>):
    %sum = seq.reduce add %a : tensor<2xf32> -> tensor<f32>
    %sums = seq.broadcast %sum dims [] : tensor<f32> -> tensor<2xf32>
    %quotient = arith.divf %a, %sums : tensor<2xf32>
    %square = arith.mulf %quotient, %quotient : tensor<2xf32>
    %y = math.exp %square : tensor<2xf32>
    kern.yield %y : tensor<2xf32>
  } : (tensor<4x64x2xf32>) -> tensor<4x64x2xf32>
  return
})");
  ASSERT_TRUE(module);
  checkAll(*module, {}, 1);
}

/// Where a row is known to be zero, what it is multiplied by makes a number of no row, which is computed in front of
/// all rows; what is computed next belongs to one.
TEST(CudaRowwise, NumbersOfNoRow) {
  auto context = makeContext();
  auto module = parse(*context, R"(
func.func @zeros(%x: tensor<2x5x8xf32>, %places: tensor<2x5xf32>, %w: tensor<32xf32>) {
  %0 = kern.rowwise(%x, %places, %w) maps [row, row, shared] {
  ^bb0(%a: tensor<8xf32>, %place: tensor<f32>, %b: tensor<32xf32>):
    %zero = arith.constant dense<0.0> : tensor<f32>
    %zeros = arith.constant dense<0.0> : tensor<8xf32>
    %mask = arith.constant dense<0.0> : tensor<16xf32>
    %isLater = arith.cmpf ogt, %place, %zero : tensor<f32>
    %later = seq.broadcast %isLater dims [] : tensor<i1> -> tensor<16xi1>
    %both = seq.concat %zeros, %a : tensor<8xf32>, tensor<8xf32> -> tensor<16xf32>
    %masked = arith.select %later, %both, %mask : tensor<16xi1>, tensor<16xf32>
    %next = seq.tap %masked by 1 : tensor<16xf32>
    %b0 = seq.slice %b at 0 : tensor<32xf32> -> tensor<16xf32>
    %b1 = seq.slice %b at 16 : tensor<32xf32> -> tensor<16xf32>
    %m0 = arith.mulf %next, %b0 : tensor<16xf32>
    %m1 = arith.mulf %both, %b1 : tensor<16xf32>
    %m = arith.addf %m0, %m1 : tensor<16xf32>
    %low = seq.slice %m at 0 : tensor<16xf32> -> tensor<8xf32>
    %high = seq.slice %m at 8 : tensor<16xf32> -> tensor<8xf32>
    %product = arith.mulf %high, %a : tensor<8xf32>
    %y = arith.addf %low, %product : tensor<8xf32>
    %sum = seq.column_sum %y : tensor<8xf32> -> tensor<8xf32>
    kern.yield %sum : tensor<8xf32>
  } : (tensor<2x5x8xf32>, tensor<2x5xf32>, tensor<32xf32>) -> tensor<8xf32>
  return
})");
  ASSERT_TRUE(module);
  checkAll(*module, {.rows = 1, .lanes = 1, .chunk = 5, .threads = 8, .groups = 4}, 1);
  checkAll(*module, {.rows = 2, .lanes = 2, .chunk = 2, .threads = 4, .groups = 8}, 1);
}

TEST(CudaRandom, Chosen) { checkRandom(1000, 40); }
TEST(CudaRandom, ChosenBf16) { checkRandom(2000, 40, {}, true); }
TEST(CudaRandom, OneLane) { checkRandom(3000, 30, {.rows = 2, .lanes = 1, .chunk = 5, .threads = 8, .groups = 4}); }
TEST(CudaRandom, TwoLanes) { checkRandom(4000, 30, {.rows = 3, .lanes = 2, .chunk = 4, .threads = 16, .groups = 6}); }
TEST(CudaRandom, FourLanes) { checkRandom(5000, 30, {.rows = 4, .lanes = 4, .chunk = 16, .threads = 96, .groups = 1}); }
TEST(CudaRandom, EightLanesBf16) {
  checkRandom(6000, 30, {.rows = 1, .lanes = 8, .chunk = 7, .threads = 160, .groups = 1}, true);
}
TEST(CudaRandom, Places) { checkRandom(9000, 30, {.rows = 1, .chunk = 16, .places = 4}); }
TEST(CudaRandom, PlacesBf16) { checkRandom(9100, 30, {.rows = 3, .chunk = 16, .places = 2}, true); }
TEST(CudaRandom, RowByRow) { checkRandom(7000, 30, {.rows = 1, .lanes = 2, .chunk = 1, .threads = 32, .groups = 3}); }
TEST(CudaRandom, Tiles) {
  checkRandom(8000, 30, {.rows = 1, .lanes = 1, .chunk = 64, .threads = 32, .groups = 2, .tiles = 5});
}
} // namespace
