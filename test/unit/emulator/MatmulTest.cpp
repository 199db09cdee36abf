//===- MatmulTest.cpp - a matmul whose warps have roles, and what may be wrong with it ------===//
#include "Assembled.h"
#include "Faults.h"
#include "MatmulKernel.h"
#include "Orders.h"

#include <bit>
#include <numeric>
#include <random>

using namespace stretto::test;

namespace {
constexpr int rows = 200, columns = 16, terms = 160;

/// To the nearest, ties to even.
uint16_t bf16(int whole) {
  const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(whole));
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/// Small whole numbers: their sums are exact until they are rounded.
std::vector<int> smallNumbers(int count, uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<int> numbers(count);
  for (int &number : numbers)
    number = static_cast<int>(engine() % 17) - 8;
  return numbers;
}

class Roles : public testing::Test {
protected:
  Roles() : a(smallNumbers(rows * terms, 1)), b(smallNumbers(columns * terms, 2)) {}

  /// How many results of a launch are wrong.
  int wrongResults(const EmulatedKernels &kernels, int64_t calls) const {
    std::vector<uint16_t> left(a.size()), right(b.size()), got(rows * columns);
    std::transform(a.begin(), a.end(), left.begin(), bf16);
    std::transform(b.begin(), b.end(), right.begin(), bf16);
    kernels.launch("k", {left.data(), right.data(), got.data()}, calls);
    int wrong = 0;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        wrong +=
            got[i * columns + j] != bf16(std::inner_product(&a[i * terms], &a[i * terms] + terms, &b[j * terms], 0));
    return wrong;
  }

  std::vector<int> a, b;
};

TEST_F(Roles, Matmul) {
  EmulatedKernels kernels(roleMatmul);
  ASSERT_TRUE(kernels.isLoaded());
  underSeveralOrders([&](int64_t calls) { EXPECT_EQ(wrongResults(kernels, calls), 0); });
}

/// The very same text is code for the GPU.
TEST_F(Roles, Assembles) {
  if (!hasAssembler())
    GTEST_SKIP() << "no ptxas";
  Assembled code(roleMatmul);
  auto kernel = code.kernel();
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel.getSpillBytes(), 0);
  EXPECT_EQ(kernel.getDynamicSharedBytes(), 23680);
  EXPECT_EQ(kernel.getTensorMaps()->size(), 2u);
}

const std::string pending =
                      "read of 16 bytes at .* of shared memory from byte .* on, whose asynchronous copy nobody has "
                      "waited for",
                  unwritten = "of shared memory from byte .* on, which the block has not written",
                  readEarly = "race: read of 16 bytes at .*, shared memory from byte .* on, which .* has written",
                  filledEarly =
                      "race: write of .* bytes at .*, shared memory from byte .* on, which a matmul of warpgroup "
                      "0, which has not been awaited, has read";

TEST_F(Roles, WaitForCopiesRemoved) {
  expectCaught(
      with(roleMatmul, "nvvm.mbarrier.try_wait.parity %fullC, %parityC, %ticks : !llvm.ptr<3>, i32, i32 // full", ""),
      3, pending + "|" + unwritten);
}

TEST_F(Roles, HalfOfTheBytesExpected) {
  expectCaught(with(roleMatmul, "llvm.mlir.constant(10240 : i32)", "llvm.mlir.constant(5120 : i32)"), 3,
               "phase 0 of the mbarrier at byte 20480 lacks 5120 bytes, but copies bring 8192");
}

TEST_F(Roles, EmptyStagesNotAwaited) {
  expectCaught(
      with(roleMatmul, "nvvm.mbarrier.try_wait.parity %emptyAt, %parity, %ticks : !llvm.ptr<3>, i32, i32 // empty", ""),
      3,
      "1 arrivals at the mbarrier at byte .*, whose phase .* lacks 0 of 1|of shared memory from byte .* on, whose "
      "asynchronous copy nobody has waited for|which a bulk copy has written|" +
          filledEarly);
  // Or too early: before the matmul of the turn before has been awaited.
  expectCaught(with(roleMatmul, "nvvm.wgmma.wait.group.sync.aligned 1 // of the turn before",
                    "nvvm.wgmma.wait.group.sync.aligned 2"),
               3, filledEarly);
  expectCaught(with(roleMatmul, "%stageB = llvm.xor %stageC, %c1", "%stageB = llvm.or %stageC, %c0"), 3,
               filledEarly + "|every thread waits|arrivals at the mbarrier");
}

TEST_F(Roles, RegistersThatNobodyGivesBack) {
  expectCaught(with(roleMatmul, "nvvm.setmaxregister decrease 40", ""), 1,
               "every thread waits .* at nvvm.setmaxregister .* for registers, of which 0 of a thread are free");
  expectCaught(with(roleMatmul, "nvvm.setmaxregister increase 232", "nvvm.setmaxregister increase 160"), 1,
               "nvvm.setmaxregister .*: a thread that has 168 registers must take more, but got 160");
  expectCaught(with(roleMatmul, "nvvm.setmaxregister decrease 40", "nvvm.setmaxregister decrease 176"), 1,
               "nvvm.setmaxregister .*: a thread that has 168 registers must keep fewer, but got 176");
}

TEST_F(Roles, StagingReadOrWrittenEarly) {
  expectCaught(with(roleMatmul, "nvvm.barrier id = %c1 number_of_threads = %group // staged", ""), 3,
               readEarly + "|" + unwritten + "|race: write of 16 bytes");
  expectCaught(with(roleMatmul, "nvvm.barrier id = %c2 number_of_threads = %group // stored", ""), 3,
               "race: write of 16 bytes at .*, shared memory from byte .* on, which .* has read");
}

TEST_F(Roles, WrongSwizzle) {
  for (auto [from, to] : {std::pair("box [64, 64], swizzle 128>", "box [64, 64], swizzle 0>"),
                          std::pair("4611686293305360384", "-9223371761976803328")}) {
    EmulatedKernels kernels(with(roleMatmul, from, to));
    ASSERT_TRUE(kernels.isLoaded());
    EXPECT_GT(wrongResults(kernels, 1), rows * columns / 2) << to;
  }
}

TEST_F(Roles, FencesRemoved) {
  expectCaught(with(roleMatmul, "nvvm.fence.mbarrier.init // initialised", ""), 3,
               "thread 0 has initialised with no fence.mbarrier.init behind it");
  EXPECT_FALSE(EmulatedKernels(with(roleMatmul, "nvvm.wgmma.fence.aligned // ready", "")).isLoaded());
  EXPECT_FALSE(EmulatedKernels(with(roleMatmul, "nvvm.wgmma.wait.group.sync.aligned 0 // awaited", "")).isLoaded());
}

TEST_F(Roles, DeadlocksNameTheRoles) {
  expectCaught(
      with(roleMatmul, "%s0 = nvvm.mbarrier.arrive %emptyB : !llvm.ptr<3> -> i64 // drained", ""), 3,
      "every thread waits or has ended: threads 0 to 127 wait at nvvm.mbarrier.try_wait.parity .* for phase 1 of "
      "the mbarrier at byte 20480, which lacks 1 of 1 arrivals and 0 bytes; .*wait "
      "at nvvm.mbarrier.try_wait.parity .* for phase 0 of the mbarrier at byte 20496, which lacks 4 of 4 arrivals");
}
} // namespace
