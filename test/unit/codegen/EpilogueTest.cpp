//===- EpilogueTest.cpp - kernels at random in matmuls against the interpreter --===//
#include "KernelLibrary.h"
#include "RandomBody.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

namespace {
constexpr int bodies = 40;

/// Seeded numbers for the arguments of a function; those of the weight are so small that sums stay within a few units.
std::vector<Numbers> argumentsOf(func::FuncOp function, int64_t depth, uint64_t seed) {
  std::vector<Numbers> numbers;
  for (Type type : function.getArgumentTypes())
    numbers.push_back(randomNumbers(type, seed++));
  for (double &number : numbers[1])
    number = std::ldexp(number, -static_cast<int>(llvm::Log2_64_Ceil(depth)));
  return numbers;
}

/// The result of the matmul in front of a kernel.
Numbers resultOf(Operation *matmul, const Numbers &rows, const Numbers &weight) {
  int64_t depth = cast<RankedTensorType>(matmul->getOperand(0).getType()).getShape().back();
  int64_t columns = cast<RankedTensorType>(matmul->getResult(0).getType()).getShape().back();
  return multiply(rows, weight, depth, columns, isa<seq::LinearOp>(matmul));
}

/// Random kernels behind random matmuls, as many fused as the limits allow, against the interpreter; at least `least`
/// of them must be.
void compareRandom(uint64_t firstSeed, int least, codegen::ChooseEpiloguesOptions epilogues, KernelOptions options) {
  auto context = makeContext();
  std::string text;
  for (int i = 0; i < bodies; ++i)
    text += randomBodyBehindMatmul("body" + std::to_string(i), firstSeed + i);
  auto module = parse(*context, text);
  ASSERT_TRUE(module) << text;
  options.epilogues = epilogues;
  KernelLibrary library(*module, options);
  ASSERT_TRUE(library.isLoaded());
  int fused = 0;
  for (int i = 0; i < bodies; ++i) {
    std::string name = "body" + std::to_string(i);
    if (!library.isEpilogue(name))
      continue;
    ++fused;
    kern::RowwiseOp op = rowwiseOf(*module, name);
    Operation *matmul = op.getOperand(0).getDefiningOp();
    auto function = module->lookupSymbol<func::FuncOp>(name);
    int64_t depth = cast<RankedTensorType>(function.getArgumentTypes()[0]).getShape().back();
    auto given = argumentsOf(function, depth, firstSeed + i);
    auto want = interpret(op, {resultOf(matmul, given[0], given[1]), given[2], given[3]});
    auto got = library.run(name, given);
    for (size_t r = 0; r < want.size(); ++r)
      EXPECT_LT(distance(got[r], want[r]), getElementTypeOrSelf(op.getResult(r).getType()).isF64() ? 1e-11 : 1e-5)
          << "result " << r << " of seed " << firstSeed + i << "\n"
          << randomBodyBehindMatmul(name, firstSeed + i);
  }
  EXPECT_GE(fused, least);
}

codegen::ChooseEpiloguesOptions limits(int64_t columns) {
  codegen::ChooseEpiloguesOptions options;
  options.wantedColumns = options.mostColumns = columns;
  options.leastRows = 1;
  return options;
}

/// Compares the kernel of function `name` behind a matmul of `depth` terms with the interpreter.
void compareBehindMatmul(StringRef name, int64_t depth, StringRef text) {
  auto context = makeContext();
  auto module = parse(*context, text);
  ASSERT_TRUE(module);
  KernelLibrary library(*module, {.epilogues = limits(128)});
  ASSERT_TRUE(library.isLoaded() && library.isEpilogue(name));
  kern::RowwiseOp op = rowwiseOf(*module, name);
  auto given = argumentsOf(module->lookupSymbol<func::FuncOp>(name), depth, 1);
  auto want = interpret(op, {resultOf(op.getOperand(0).getDefiningOp(), given[0], given[1]), given[2]});
  auto got = library.run(name, given);
  for (size_t r = 0; r < want.size(); ++r)
    EXPECT_LT(distance(got[r], want[r]), 1e-5) << "result " << r;
}

/// Elements that add up to one number lie in one strip, be some of them of no column of the matmul.
TEST(Epilogue, FoldedSums) {
  compareBehindMatmul("folded", 24, R"(
func.func @folded(%l: tensor<2x9x24xf32>, %w: tensor<256x24xf32>, %b: tensor<9x256xf32>) {
  %a = seq.linear %l, %w : tensor<2x9x24xf32>, tensor<256x24xf32> -> tensor<2x9x256xf32>
  %s = kern.rowwise(%a, %b) maps [row, time] {
  ^bb0(%x: tensor<256xf32>, %p: tensor<256xf32>):
    %r = seq.permute half_split %x rotated 256 : tensor<256xf32>
    %c = seq.concat %p, %r : tensor<256xf32>, tensor<256xf32> -> tensor<512xf32>
    %h = seq.reshape %c : tensor<512xf32> -> tensor<2x256xf32>
    %0 = seq.column_sum %h : tensor<2x256xf32> -> tensor<256xf32>
    kern.yield %0 : tensor<256xf32>
  } : (tensor<2x9x256xf32>, tensor<9x256xf32>) -> tensor<256xf32>
  return
})");
}

/// Strips of heads that are rotated, then strips of others, two of each.
TEST(Epilogue, TwoKindsOfStrips) {
  compareBehindMatmul("kinds", 24, R"(
func.func @kinds(%l: tensor<2x9x24xf32>, %w: tensor<512x24xf32>, %b: tensor<512xf32>) {
  %a = seq.linear %l, %w : tensor<2x9x24xf32>, tensor<512x24xf32> -> tensor<2x9x512xf32>
  %o:2 = kern.rowwise(%a, %b) maps [row, shared] {
  ^bb0(%x: tensor<512xf32>, %g: tensor<512xf32>):
    %q = seq.slice %x at 0 : tensor<512xf32> -> tensor<256xf32>
    %v = seq.slice %x at 256 : tensor<512xf32> -> tensor<256xf32>
    %h = seq.reshape %q : tensor<256xf32> -> tensor<2x128xf32>
    %p = seq.permute half_split %h rotated 128 : tensor<2x128xf32>
    %r = arith.addf %p, %h : tensor<2x128xf32>
    %f = seq.reshape %r : tensor<2x128xf32> -> tensor<256xf32>
    %c = seq.concat %f, %v : tensor<256xf32>, tensor<256xf32> -> tensor<512xf32>
    %y = arith.mulf %c, %g : tensor<512xf32>
    %s = seq.column_sum %y : tensor<512xf32> -> tensor<512xf32>
    kern.yield %y, %s : tensor<512xf32>, tensor<512xf32>
  } : (tensor<2x9x512xf32>, tensor<512xf32>) -> (tensor<2x9x512xf32>, tensor<512xf32>)
  return
})");
}

TEST(Epilogue, WideStrips) { compareRandom(1000, 25, limits(128), {}); }
TEST(Epilogue, NarrowStrips) { compareRandom(2000, 8, limits(32), {}); }
TEST(Epilogue, SmallChunks) { compareRandom(3000, 16, limits(64), {.rows = 4, .chunk = 5}); }
TEST(Epilogue, SmallBlocks) { compareRandom(5000, 16, limits(64), {.rows = 2, .schedules = "*.matmul:block=15"}); }
TEST(Epilogue, SmallBlocksOfChunks) {
  compareRandom(6000, 16, limits(64), {.rows = 1, .chunk = 9, .schedules = "*.matmul:block=15"});
}
TEST(Epilogue, NarrowVectors) { compareRandom(4000, 16, limits(64), {.cpu = "x86-64-v3", .rows = 2, .chunk = 7}); }
} // namespace
