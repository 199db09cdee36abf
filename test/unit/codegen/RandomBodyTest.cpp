//===- RandomBodyTest.cpp - kernels at random against the interpreter -----------===//
#include "RandomBody.h"
#include "KernelLibrary.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

namespace {
using Make = std::string (*)(const std::string &name, uint64_t seed);

constexpr int count = 40;

/// Random bodies in one module, compiled.
struct Bodies {
  Bodies(Make make, uint64_t firstSeed) : make(make), firstSeed(firstSeed) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += make(nameOf(i), firstSeed + i);
    module = parse(*context, text);
  }
  static std::string nameOf(int i) { return "body" + std::to_string(i); }
  std::string describe(int i) const {
    return "seed " + std::to_string(firstSeed + i) + "\n" + make(nameOf(i), firstSeed + i);
  }
  std::vector<Numbers> inputs(int i) { return randomInputs(rowwiseOf(*module, nameOf(i)), firstSeed + i); }

  Make make;
  uint64_t firstSeed;
  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> module;
};

/// Compares results of body `i` with the interpreter, and with those in place of operands.
void compare(Bodies &bodies, KernelLibrary &library, int i) {
  std::string name = Bodies::nameOf(i);
  kern::RowwiseOp op = rowwiseOf(*bodies.module, name);
  auto inputs = bodies.inputs(i);
  auto want = interpret(op, inputs), got = library.run(name, inputs);
  for (InPlace over : waysInPlace(library.kernelOf(name)))
    EXPECT_EQ(library.run(name, inputs, over), got)
        << "result " << over.result << " over operand " << over.operand << " of " << bodies.describe(i);
  for (size_t r = 0; r < want.size(); ++r) {
    bool isDouble = getElementTypeOrSelf(op.getResult(r).getType()).isF64();
    EXPECT_LT(distance(got[r], want[r]), isDouble ? 1e-11 : 1e-5) << "result " << r << " of " << bodies.describe(i);
  }
}

void compareRandom(uint64_t firstSeed, KernelOptions options) {
  Bodies bodies(randomBody, firstSeed);
  ASSERT_TRUE(bodies.module);
  KernelLibrary library(*bodies.module, options);
  ASSERT_TRUE(library.isLoaded());
  for (int i = 0; i < count; ++i)
    compare(bodies, library, i);
}

/// Kernels in the narrowest strips that there are, at least `least` of them, have the bits of whole rows.
void compareStrips(uint64_t firstSeed, int least, KernelOptions options) {
  Bodies bodies(randomBodyWithoutReductions, firstSeed);
  ASSERT_TRUE(bodies.module);
  KernelLibrary whole(*bodies.module, options);
  options.keptBytes = 1;
  KernelLibrary library(*bodies.module, options);
  ASSERT_TRUE(library.isLoaded() && whole.isLoaded());
  int strips = 0;
  for (int i = 0; i < count; ++i) {
    if (!library.walksStrips(Bodies::nameOf(i)))
      continue;
    ++strips;
    compare(bodies, library, i);
    auto inputs = bodies.inputs(i);
    EXPECT_EQ(library.run(Bodies::nameOf(i), inputs), whole.run(Bodies::nameOf(i), inputs)) << bodies.describe(i);
  }
  EXPECT_GE(strips, least);
}

TEST(RandomBody, DefaultSchedule) { compareRandom(1000, {}); }
TEST(RandomBody, SmallChunks) { compareRandom(2000, {.rows = 4, .chunk = 5}); }
TEST(RandomBody, EverythingStored) { compareRandom(4000, {.chunk = 9, .storeAll = true}); }
TEST(RandomBody, EverythingStoredRowByRow) { compareRandom(5000, {.rows = 1, .chunk = 6, .storeAll = true}); }
TEST(RandomBody, NarrowVectors) { compareRandom(3000, {.cpu = "x86-64-v3", .rows = 2, .chunk = 7}); }
TEST(RandomBody, Strips) { compareStrips(6000, 10, {.rows = 4, .chunk = 16}); }
TEST(RandomBody, StripsOfSmallChunks) { compareStrips(7000, 10, {.rows = 2, .chunk = 5}); }
TEST(RandomBody, StripsStored) { compareStrips(8000, 10, {.rows = 3, .chunk = 9, .storeAll = true}); }
TEST(RandomBody, StripsOfNarrowVectors) { compareStrips(9000, 10, {.cpu = "x86-64-v3", .rows = 4, .chunk = 7}); }
} // namespace
