//===- RowwiseTest.cpp - compiled kernels against the interpreter ---------------===//
#include "Bodies.h"
#include "KernelLibrary.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

namespace {
/// Compiles every body for `sizes` and compares all results with the interpreter.
void compareAll(const Sizes &sizes, KernelOptions options = {}) {
  auto context = makeContext();
  std::string text;
  for (unsigned i = 0; i < bodyCount; ++i)
    text += fill(bodies[i], sizes);
  auto module = parse(*context, text);
  ASSERT_TRUE(module);
  KernelLibrary library(*module, options);
  ASSERT_TRUE(library.isLoaded());
  double tolerance = sizes.real == "f64" ? 1e-12 : 2e-6;
  for (unsigned i = 0; i < bodyCount; ++i) {
    kern::RowwiseOp op = rowwiseOf(*module, bodies[i].name);
    auto inputs = randomInputs(op, 100 * i);
    auto want = interpret(op, inputs), got = library.run(bodies[i].name, inputs);
    for (size_t r = 0; r < want.size(); ++r)
      EXPECT_LT(distance(got[r], want[r]), tolerance) << bodies[i].name << ", result " << r;
    for (InPlace over : waysInPlace(library.kernelOf(bodies[i].name)))
      EXPECT_EQ(library.run(bodies[i].name, inputs, over), got)
          << bodies[i].name << ", result " << over.result << " over operand " << over.operand;
  }
}

TEST(Rowwise, WidthsOfWholeVectors) { compareAll({.columns = 128}); }
TEST(Rowwise, WidthsWithTails) { compareAll({.batch = 1, .columns = 100}); }
TEST(Rowwise, WidthsBelowOneVector) { compareAll({.columns = 5, .heads = 1}); }
TEST(Rowwise, OddHeads) { compareAll({.columns = 51, .heads = 3}); }
TEST(Rowwise, Double) { compareAll({.columns = 40, .real = "f64"}); }
TEST(Rowwise, DoubleTails) { compareAll({.time = 9, .columns = 34, .real = "f64"}); }
TEST(Rowwise, SequencesShorterThanTheTaps) { compareAll({.time = 2}); }
TEST(Rowwise, OneRow) { compareAll({.batch = 3, .time = 1}); }
TEST(Rowwise, SmallChunks) { compareAll({.time = 21}, {.chunk = 3}); }
TEST(Rowwise, FourRows) { compareAll({.time = 33}, {.rows = 4, .chunk = 16}); }
TEST(Rowwise, Stored) { compareAll({.time = 33, .columns = 100}, {.rows = 4, .chunk = 16, .storeAll = true}); }
TEST(Rowwise, StoredInShortSequences) { compareAll({.time = 2}, {.storeAll = true}); }
TEST(Rowwise, SmallMachine) { compareAll({}, {.cpu = "x86-64"}); }
TEST(Rowwise, MediumMachine) { compareAll({}, {.cpu = "x86-64-v3"}); }

/// Entries are added in order to the accumulator, whose buffer the result takes over.
TEST(SumPartials, AddsToAnAccumulatorInPlace) {
  auto context = makeContext();
  auto module = parse(*context, R"(
func.func @f(%p: tensor<3x2100xf32>, %a: tensor<2100xf32>) {
  %s = kern.sum_partials kernel "s" %p accumulate %a : tensor<2100xf32> : tensor<3x2100xf32> -> tensor<2100xf32>
  return
})");
  KernelLibrary library(*module, {});
  ASSERT_EQ(library.kernels().size(), 1u);
  EXPECT_EQ(library.kernels()[0].chunks, 3);
  EXPECT_EQ(library.kernels()[0].buffers, 3);
  std::vector<float> partials(3 * 2100), sum(2100), want(2100);
  for (size_t i = 0; i < partials.size(); ++i)
    partials[i] = std::sin(static_cast<float>(i));
  for (size_t j = 0; j < sum.size(); ++j) {
    sum[j] = want[j] = 0.1f * static_cast<float>(j % 7);
    for (size_t entry = 0; entry < 3; ++entry)
      want[j] += partials[entry * 2100 + j];
  }
  library.launch("s", {partials.data(), sum.data(), sum.data()});
  EXPECT_EQ(sum, want);
}

/// The chunks of several sums follow one another, and each column is what it is by itself.
TEST(SumPartials, SeveralAreOneKernel) {
  auto context = makeContext();
  auto module = parse(*context, R"(
func.func @f(%p: tensor<3x2100xf32>, %q: tensor<5x7xf32>, %r: tensor<2x1024xf32>) {
  %s:3 = kern.sum_partials kernel "s" %p, %q, %r : tensor<3x2100xf32>, tensor<5x7xf32>, tensor<2x1024xf32>
      -> tensor<2100xf32>, tensor<7xf32>, tensor<1024xf32>
  return
})");
  KernelLibrary library(*module, {});
  ASSERT_EQ(library.kernels().size(), 1u);
  EXPECT_EQ(library.kernels()[0].chunks, 5);
  EXPECT_EQ(library.kernels()[0].buffers, 6);
  EXPECT_EQ(library.kernels()[0].flops, 3 * 2100 + 5 * 7 + 2 * 1024);
  const std::pair<size_t, size_t> shapes[] = {{3, 2100}, {5, 7}, {2, 1024}};
  std::vector<std::vector<float>> partials, sums, want;
  for (auto [entries, columns] : shapes) {
    partials.emplace_back(entries * columns);
    sums.emplace_back(columns, -1.0f);
    want.emplace_back(columns, 0.0f);
    for (size_t i = 0; i < partials.back().size(); ++i) {
      partials.back()[i] = std::sin(static_cast<float>(i + 10 * entries));
      want.back()[i % columns] += partials.back()[i];
    }
  }
  library.launch("s", {partials[0].data(), partials[1].data(), partials[2].data(), sums[0].data(), sums[1].data(),
                       sums[2].data()});
  EXPECT_EQ(sums, want);
}

/// An optimizer's kernel: results take over the buffers of operands.
TEST(Rowwise, ResultsInPlaceOfOperands) {
  auto context = makeContext();
  auto module = parse(*context, R"(
func.func @step(%p: tensor<1x13x100xf32>, %m: tensor<1x13x100xf32>, %g: tensor<1x13x100xf32>) {
  %o:2 = kern.rowwise(%p, %m, %g) maps [row, row, row] {
  ^bb0(%a: tensor<100xf32>, %b: tensor<100xf32>, %c: tensor<100xf32>):
    %h = arith.constant dense<0.5> : tensor<100xf32>
    %hb = arith.mulf %b, %h : tensor<100xf32>
    %m1 = arith.addf %hb, %c : tensor<100xf32>
    %hm = arith.mulf %m1, %h : tensor<100xf32>
    %p1 = arith.subf %a, %hm : tensor<100xf32>
    %p2 = arith.mulf %p1, %b : tensor<100xf32>
    kern.yield %m1, %p2 : tensor<100xf32>, tensor<100xf32>
  } : (tensor<1x13x100xf32>, tensor<1x13x100xf32>, tensor<1x13x100xf32>)
    -> (tensor<1x13x100xf32>, tensor<1x13x100xf32>)
  return
})");
  KernelLibrary library(*module, {});
  std::vector<float> p(1300), m(1300), g(1300), wantP(1300), wantM(1300);
  for (size_t i = 0; i < p.size(); ++i) {
    p[i] = std::sin(static_cast<float>(i)), m[i] = std::cos(static_cast<float>(i)), g[i] = 0.25f;
    wantM[i] = 0.5f * m[i] + g[i];
    wantP[i] = (p[i] - 0.5f * wantM[i]) * m[i];
  }
  library.launch("step", {p.data(), m.data(), g.data(), m.data(), p.data()});
  for (size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR(m[i], wantM[i], 1e-6);
    EXPECT_NEAR(p[i], wantP[i], 1e-6);
  }
}

/// Compares the kernel of function `name`, in the narrowest strips that there are, with the interpreter.
void compareInStrips(StringRef name, StringRef text) {
  auto context = makeContext();
  auto module = parse(*context, text);
  ASSERT_TRUE(module);
  KernelLibrary library(*module, {.keptBytes = 1});
  ASSERT_TRUE(library.isLoaded() && library.walksStrips(name));
  kern::RowwiseOp op = rowwiseOf(*module, name);
  auto inputs = randomInputs(op, 1);
  auto want = interpret(op, inputs), got = library.run(name, inputs);
  for (size_t r = 0; r < want.size(); ++r)
    EXPECT_LT(distance(got[r], want[r]), 2e-6) << "result " << r;
}

/// Elements that add up to one number lie in one strip, be some of them of columns of another or of none.
TEST(Rowwise, StripsOfFoldedSums) {
  compareInStrips("folded", R"(
func.func @folded(%a: tensor<2x9x128xf32>, %b: tensor<9x128xf32>) {
  %o:2 = kern.rowwise(%a, %b) maps [row, time] {
  ^bb0(%x: tensor<128xf32>, %p: tensor<128xf32>):
    %r = seq.permute half_split %x rotated 128 : tensor<128xf32>
    %c = seq.concat %p, %r : tensor<128xf32>, tensor<128xf32> -> tensor<256xf32>
    %h = seq.reshape %c : tensor<256xf32> -> tensor<2x128xf32>
    %s = seq.column_sum %h : tensor<2x128xf32> -> tensor<128xf32>
    %y = arith.mulf %x, %x : tensor<128xf32>
    kern.yield %y, %s : tensor<128xf32>, tensor<128xf32>
  } : (tensor<2x9x128xf32>, tensor<9x128xf32>) -> (tensor<2x9x128xf32>, tensor<128xf32>)
  return
})");
}

/// Strips of heads that are rotated, then strips of others, two of each.
TEST(Rowwise, StripsOfTwoKinds) {
  compareInStrips("kinds", R"(
func.func @kinds(%a: tensor<2x9x256xf32>, %b: tensor<256xf32>) {
  %o:2 = kern.rowwise(%a, %b) maps [row, shared] {
  ^bb0(%x: tensor<256xf32>, %g: tensor<256xf32>):
    %q = seq.slice %x at 0 : tensor<256xf32> -> tensor<128xf32>
    %v = seq.slice %x at 128 : tensor<256xf32> -> tensor<128xf32>
    %h = seq.reshape %q : tensor<128xf32> -> tensor<2x64xf32>
    %p = seq.permute half_split %h rotated 64 : tensor<2x64xf32>
    %r = arith.addf %p, %h : tensor<2x64xf32>
    %f = seq.reshape %r : tensor<2x64xf32> -> tensor<128xf32>
    %c = seq.concat %f, %v : tensor<128xf32>, tensor<128xf32> -> tensor<256xf32>
    %y = arith.mulf %c, %g : tensor<256xf32>
    %t = seq.tap %y by 1 : tensor<256xf32>
    %s = seq.column_sum %t : tensor<256xf32> -> tensor<256xf32>
    kern.yield %y, %s : tensor<256xf32>, tensor<256xf32>
  } : (tensor<2x9x256xf32>, tensor<256xf32>) -> (tensor<2x9x256xf32>, tensor<256xf32>)
  return
})");
}

/// Every number of a sweep, and what lies beyond the range.
TEST(Rowwise, ExpandedExp) {
  auto context = makeContext();
  auto module = parse(*context, R"(
func.func @exponential(%x: tensor<1x64x1024xf32>) {
  %o = kern.rowwise(%x) maps [row] {
  ^bb0(%a: tensor<1024xf32>):
    %e = math.exp %a : tensor<1024xf32>
    kern.yield %e : tensor<1024xf32>
  } : (tensor<1x64x1024xf32>) -> tensor<1x64x1024xf32>
  return
})");
  KernelLibrary library(*module, {});
  Numbers x(64 * 1024);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(-86.5 + (88.72 + 86.5) * static_cast<double>(i) / static_cast<double>(x.size()));
  x[0] = 1000, x[1] = -1000, x[2] = -INFINITY, x[3] = INFINITY, x[4] = NAN, x[5] = 88.7228f;
  Numbers y = library.run("exponential", {x})[0];
  EXPECT_EQ(y[0], INFINITY);
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[2], 0);
  EXPECT_EQ(y[3], INFINITY);
  EXPECT_TRUE(std::isnan(y[4]));
  double worst = 0;
  for (size_t i = 5; i < x.size(); ++i)
    worst = std::max(worst, std::abs(y[i] / std::exp(x[i]) - 1));
  EXPECT_LT(worst, 1.2e-7);
}

/// Bits do not depend on the blocks and chunks in which rows are visited, but for sums over rows.
TEST(Rowwise, SameBitsForAnyChunk) {
  auto context = makeContext();
  std::string text;
  for (unsigned i = 0; i < bodyCount; ++i)
    text += fill(bodies[i], {.time = 37, .columns = 52});
  auto module = parse(*context, text);
  KernelLibrary one(*module, {.rows = 8, .chunk = 37}), two(*module, {.rows = 4, .chunk = 5}),
      three(*module, {.rows = 1, .chunk = 16}), four(*module, {.rows = 2, .chunk = 8, .storeAll = true});
  for (unsigned i = 0; i < bodyCount; ++i) {
    kern::RowwiseOp op = rowwiseOf(*module, bodies[i].name);
    auto inputs = randomInputs(op, 7);
    auto a = one.run(bodies[i].name, inputs), b = two.run(bodies[i].name, inputs),
         c = three.run(bodies[i].name, inputs), d = four.run(bodies[i].name, inputs);
    for (unsigned r = 0; r < op.getNumResults(); ++r) {
      bool same = op.isColumnSum(r) || (a[r] == b[r] && a[r] == c[r] && a[r] == d[r]);
      EXPECT_TRUE(same) << bodies[i].name << ", result " << r;
    }
  }
}
} // namespace
