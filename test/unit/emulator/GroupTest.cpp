//===- GroupTest.cpp - asynchronous matmuls of a warpgroup --------------------===//
#include "Faults.h"
#include "GroupKernels.h"
#include "Orders.h"

#include <bit>
#include <random>

using namespace stretto::test;

namespace {
/// Small whole numbers, as they lie in shared memory and as they are.
struct Numbers {
  Numbers(const SharedOperand &operand, uint64_t seed)
      : operand(operand), exact(operand.rows * operand.inner), image(operand.rows * operand.inner) {
    std::mt19937_64 engine(seed);
    for (int row = 0; row < operand.rows; ++row)
      for (int term = 0; term < operand.inner; ++term) {
        const int number = static_cast<int>(engine() % 17) - 8;
        exact[row * operand.inner + term] = number;
        image[operand.placeOf(row, term) / 2] = std::bit_cast<uint32_t>(static_cast<float>(number)) >> 16;
      }
  }
  int at(int row, int term) const { return exact[row * operand.inner + term]; }
  SharedOperand operand;
  std::vector<int> exact;
  std::vector<uint16_t> image;
};

/// How many of the results of a kernel are wrong.
int wrongResults(const std::string &text, const Numbers &a, const Numbers &b) {
  EmulatedKernels kernels(text);
  EXPECT_TRUE(kernels.isLoaded());
  const int columns = b.operand.rows;
  int wrong = 0;
  std::vector<float> c(64 * columns);
  std::vector<uint16_t> left = a.image, right = b.image;
  kernels.launch("k", {left.data(), right.data(), c.data()});
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < columns; ++j) {
      int want = 0;
      for (int k = 0; k < a.operand.inner; ++k)
        want += a.at(i, k) * b.at(j, k);
      wrong += c[i * columns + j] != want;
    }
  return wrong;
}

TEST(Group, EachLayoutOfOperands) {
  for (int swizzle : {0, 32, 64, 128})
    for (bool transposed : {false, true})
      for (bool isA : {true, false}) {
        SCOPED_TRACE(testing::Message() << (isA ? "A" : "B") << ", swizzle " << swizzle << ", transposed "
                                        << transposed);
        SharedOperand a{64, 64, 128, false}, b{64, 64, 128, false};
        (isA ? a : b) = {64, 64, swizzle, transposed};
        stretto_emulator_set_seed(swizzle);
        stretto_emulator_set_checks(STRETTO_EMULATOR_CHECKS_FULL);
        EXPECT_EQ(wrongResults(groupMatmul(a, b), Numbers(a, 1), Numbers(b, 2)), 0);
      }
}

TEST(Group, NarrowAndWide) {
  for (int columns : {8, 24, 256}) {
    const SharedOperand a{64, 32, 64, false}, b{columns, 32, 64, false};
    EXPECT_EQ(wrongResults(groupMatmul(a, b), Numbers(a, 1), Numbers(b, 2)), 0) << columns;
  }
}

const SharedOperand left{64, 64, 128, false}, right{32, 64, 128, false};
const std::string plain = groupMatmul(left, right);

TEST(Group, SignsAndZero) {
  const SharedOperand a{64, 16, 32, false}, b{8, 16, 32, false};
  const std::string text = groupMatmul(a, b);
  Numbers one(a, 1), two(b, 2), negative = two;
  for (int &number : negative.exact)
    number = -number;
  EXPECT_EQ(wrongResults(with(text, "A[<bf16>, <one>", "A[<bf16>, <neg>"), one, negative), 0);
  EXPECT_EQ(wrongResults(with(text, "B[<bf16>, <one>", "B[<bf16>, <neg>"), one, negative), 0);
  const std::string filled = with(text, "%d0 = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>", R"(
    %ones = llvm.mlir.constant(1.0 : f32) : f32
    %u = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
    %u0 = llvm.insertvalue %ones, %u[0] : !llvm.struct<(f32, f32, f32, f32)>
    %u1 = llvm.insertvalue %ones, %u0[1] : !llvm.struct<(f32, f32, f32, f32)>
    %u2 = llvm.insertvalue %ones, %u1[2] : !llvm.struct<(f32, f32, f32, f32)>
    %d0 = llvm.insertvalue %ones, %u2[3] : !llvm.struct<(f32, f32, f32, f32)>)");
  EXPECT_EQ(wrongResults(filled, one, two), 64 * 8);
  EXPECT_EQ(wrongResults(with(filled, "D[<f32>, <one>]", "D[<f32>, <zero>]"), one, two), 0);
}

TEST(Group, WrongSwizzleIsSeenInTheNumbers) {
  Numbers a(left, 1), b(right, 2);
  stretto_emulator_set_checks(STRETTO_EMULATOR_CHECKS_FULL);
  const std::string text =
      with(plain, std::to_string(static_cast<int64_t>(left.descriptor())) + " : i64) : i64\n    %a3xs",
           std::to_string(static_cast<int64_t>(left.descriptor() ^ 3ull << 62)) + " : i64) : i64\n    %a3xs");
  EXPECT_GT(wrongResults(text, a, b), 1000);
}

TEST(Group, FenceOfTheProxyRemoved) {
  expectCheckCatches(
      with(plain,
           "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>} // visible", ""),
      3,
      "read of 16 bytes at .* by the asynchronous proxy of shared memory from byte .* on, which thread .* "
      "has written with no fence.proxy.async in between");
  const std::string before =
      with(plain, "    %memory = llvm.mlir.addressof",
           "    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}\n    %memory = llvm.mlir.addressof");
  expectCheckCatches(
      with(before,
           "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>} // visible", ""),
      3, "written with no fence.proxy.async in between");
}

TEST(Group, BarrierRemoved) {
  expectCheckCatches(with(plain, "nvvm.barrier0 // written", ""), 3,
                     "race: read of 16 bytes at .*, shared memory from byte .* on, which thread .* has written");
}

TEST(Group, OperandsOverwrittenBeforeTheWait) {
  const std::string write = "    %over = llvm.getelementptr %memory[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n "
                            "   llvm.store %tid, %over : i32, !llvm.ptr<3>\n",
                    wait = "    nvvm.wgmma.wait.group.sync.aligned 0 // awaited\n";
  expectCheckCatches(
      with(plain, wait, write + wait), 3,
      "race: write of 4 bytes at .*, shared memory from byte .* on, which a matmul of warpgroup 0, which "
      "has not been awaited, has read");
  // Not even a barrier waits for it; after the wait the group's own threads may write.
  expectCheckCatches(with(plain, wait, "    nvvm.barrier0\n" + write + wait), 3,
                     "a matmul of warpgroup 0, which has not been awaited");
  EmulatedKernels kernels(with(plain, wait, wait + write));
  EXPECT_EXIT(launchAndExit(kernels, 3, 1, STRETTO_EMULATOR_CHECKS_FULL), testing::ExitedWithCode(0), "");
}

TEST(Group, Descriptors) {
  expectCaught(
      with(plain, "%a0x = llvm.or %a0xs, %a0xd", "%w = llvm.zext %tid : i32 to i64\n    %a0x = llvm.or %a0xs, %w"), 3,
      "the threads of a warpgroup must name the same operands, but thread .* of the group has");
  expectCaught(
      with(plain, "%a0x = llvm.or %a0xs, %a0xd",
           "%w = llvm.mlir.constant(8 : i64) : i64\n    %v = llvm.or %a0xs, %a0xd : i64\n    %a0x = llvm.add %v, %w"),
      3,
      "A must begin in the first row of the pattern of its swizzle, at a multiple of 1024 bytes and up to 127 "
      "behind it, with base offset 0, but begins at address 1152 with base offset 0");
  expectCaught(with(plain, "%a0xs = llvm.add %first", "%a0xs = llvm.add %four"), 3,
               "read of 16 bytes at .* starts .* bytes before the shared memory");
}

TEST(Group, SharedMemoryIsNotMoreAlignedThanItAsksFor) {
  expectCaught(with(plain, "alignment = 1024 : i64", "alignment = 128 : i64"), 3,
               "A must begin in the first row of the pattern of its swizzle, at a multiple of 1024 bytes and up to 127 "
               "behind it, with base offset 0, but begins at address 1152 with base offset 0");
}

TEST(Group, ThreadsMissing) {
  std::string part = with(plain, "nvvm.wgmma.fence.aligned // ready", R"(
    nvvm.wgmma.fence.aligned
    llvm.cond_br %isLow, ^end, ^work
  ^work:)");
  part = with(part, "    llvm.return\n  }\n}", "    llvm.br ^end\n  ^end:\n    llvm.return\n  }\n}");
  expectCaught(
      part, 3,
      "every thread waits or has ended: threads 0 to 31 ended; threads 32 to 127 wait at nvvm.wgmma.mma_async");
}
} // namespace
