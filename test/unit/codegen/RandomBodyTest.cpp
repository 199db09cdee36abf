//===- RandomBodyTest.cpp - kernels at random against the interpreter -----------===//
#include "RandomBody.h"
#include "KernelLibrary.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

namespace {
/// Compiles `count` random bodies in one module and compares their results with the interpreter.
void compareRandom(uint64_t firstSeed, int count, KernelOptions options) {
  auto context = makeContext();
  std::string text;
  for (int i = 0; i < count; ++i)
    text += randomBody("body" + std::to_string(i), firstSeed + i);
  auto module = parse(*context, text);
  ASSERT_TRUE(module) << text;
  KernelLibrary library(*module, options);
  ASSERT_TRUE(library.isLoaded());
  for (int i = 0; i < count; ++i) {
    std::string name = "body" + std::to_string(i);
    kern::RowwiseOp op = rowwiseOf(*module, name);
    auto inputs = randomInputs(op, firstSeed + i);
    auto want = interpret(op, inputs), got = library.run(name, inputs);
    for (InPlace over : waysInPlace(op))
      EXPECT_EQ(library.run(name, inputs, over), got)
          << "result " << over.result << " over operand " << over.operand << " of seed " << firstSeed + i << "\n"
          << randomBody(name, firstSeed + i);
    for (size_t r = 0; r < want.size(); ++r) {
      bool isDouble = getElementTypeOrSelf(op.getResult(r).getType()).isF64();
      EXPECT_LT(distance(got[r], want[r]), isDouble ? 1e-11 : 1e-5)
          << "result " << r << " of seed " << firstSeed + i << "\n"
          << randomBody(name, firstSeed + i);
    }
  }
}

TEST(RandomBody, DefaultSchedule) { compareRandom(1000, 40, {}); }
TEST(RandomBody, SmallChunks) { compareRandom(2000, 40, {.rows = 4, .chunk = 5}); }
TEST(RandomBody, EverythingStored) { compareRandom(4000, 40, {.chunk = 9, .storeAll = true}); }
TEST(RandomBody, EverythingStoredRowByRow) { compareRandom(5000, 40, {.rows = 1, .chunk = 6, .storeAll = true}); }
TEST(RandomBody, NarrowVectors) { compareRandom(3000, 40, {.cpu = "x86-64-v3", .rows = 2, .chunk = 7}); }
} // namespace
