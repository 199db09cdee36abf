//===- ResultsTest.cpp - emulated kernels give the numbers they say --------------===//
#include "Faults.h"
#include "Kernels.h"
#include "Orders.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <thread>

using namespace stretto::test;

namespace {
TEST(Emulator, Elementwise) {
  EmulatedKernels kernels(elementwise);
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<float> x, y, z;
  for (int i = 0; i < 150; ++i) {
    x.data[i] = i;
    y.data[i] = 0.25f * i;
  }
  underSeveralOrders([&](int64_t calls) {
    std::fill(std::begin(z.data), std::end(z.data), -1);
    kernels.launch("k", {&x, &y, &z}, calls);
    for (int i = 0; i < 150; ++i)
      ASSERT_EQ(z.data[i], 2.25f * i);
    EXPECT_EQ(z.data[150], -1);
  });
}

TEST(Emulator, Reduction) {
  EmulatedKernels kernels(reduction);
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<float> x, y;
  for (int i = 0; i < 512; ++i)
    x.data[i] = i % 37 + i / 128;
  underSeveralOrders([&](int64_t calls) {
    kernels.launch("k", {&x, &y}, calls);
    for (int b = 0; b < 4; ++b)
      EXPECT_EQ(y.data[b], std::accumulate(x.data + 128 * b, x.data + 128 * (b + 1), 0.0f));
  });
}

TEST(Emulator, AsynchronousCopies) {
  EmulatedKernels kernels(staging);
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<float> x, y;
  std::iota(x.data, x.data + 256, 0.0f);
  underSeveralOrders([&](int64_t calls) {
    kernels.launch("k", {&x, &y}, calls);
    for (int i = 0; i < 256; ++i)
      ASSERT_EQ(y.data[i], 255 - i);
  });
}

/// More than static shared memory may be; what names its address says how far it goes.
std::string inDynamicMemory(const std::string &text, const std::string &bytes, const std::string &from) {
  return with(with(text, "kern.block =", "kern.dynamic_shared_bytes = " + bytes + " : i64, kern.block ="),
              "%tile = llvm.mlir.addressof @tile : !llvm.ptr<3>",
              "%dynamic = llvm.mlir.addressof @dynamic : !llvm.ptr<3>\n    %tile = llvm.getelementptr %dynamic[" +
                  from + "] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8");
}

TEST(Emulator, DynamicSharedMemory) {
  EmulatedKernels kernels(inDynamicMemory(staging, "232448", "231424"));
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<float> x, y;
  std::iota(x.data, x.data + 256, 0.0f);
  underSeveralOrders([&](int64_t calls) {
    kernels.launch("k", {&x, &y}, calls);
    for (int i = 0; i < 256; ++i)
      ASSERT_EQ(y.data[i], 255 - i);
  });
  expectCheckCatches(inDynamicMemory(staging, "100000", "98992"), 2,
                     "thread 63: write of 16 bytes at .* ends 16 bytes behind the shared variable of 100000 bytes");
}

/// To the nearest bf16, ties to even; NaN is 0x7fff.
uint16_t toBF16(float x) {
  if (std::isnan(x))
    return 0x7fff;
  const uint32_t bits = std::bit_cast<uint32_t>(x), low = bits & 0xffff;
  const uint16_t high = bits >> 16;
  return low > 0x8000 || (low == 0x8000 && high & 1) ? high + 1 : high;
}
float fromBF16(uint16_t x) { return std::bit_cast<float>(static_cast<uint32_t>(x) << 16); }

TEST(Emulator, ConversionToBF16) {
  EmulatedKernels kernels(conversion);
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<float> x, z;
  Buffer<uint16_t> y;
  std::mt19937 engine(7);
  for (int i = 0; i < 512; ++i) // any bits; every second one halfway between two results
    x.data[i] =
        std::bit_cast<float>(i % 2 ? static_cast<uint32_t>(engine()) : static_cast<uint32_t>(engine()) << 16 | 0x8000);
  x.data[0] = INFINITY;
  x.data[1] = std::bit_cast<float>(0x7f7fffff); // rounds to infinity
  x.data[2] = std::bit_cast<float>(0x7f800001); // NaN whose upper bits say infinity
  underSeveralOrders([&](int64_t calls) {
    kernels.launch("k", {&x, &y, &z}, calls);
    for (int i = 0; i < 512; ++i) {
      ASSERT_EQ(y.data[i], toBF16(x.data[i])) << x.data[i];
      ASSERT_EQ(std::bit_cast<uint32_t>(z.data[i]), uint32_t(toBF16(fromBF16(y.data[i]) * 1.5f)) << 16) << x.data[i];
    }
  });
}

TEST(Emulator, NothingIsLeftToTheLinkerButTheEmulator) {
  if (stretto::codegen::runsUnderAddressSanitizer)
    GTEST_SKIP() << "and the sanitizer";
  for (const std::string &name : EmulatedKernels(conversion).undefinedNames())
    EXPECT_EQ(name.rfind("stretto_emulat", 0), 0u) << name;
}

TEST(Emulator, VotesAndReductions) {
  EmulatedKernels kernels(votes);
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<float> x;
  Buffer<int32_t> y;
  for (int i = 0; i < 64; ++i)
    x.data[i] = i < 32 ? i % 3 - 1 : 1;
  underSeveralOrders([&](int64_t calls) {
    kernels.launch("k", {&x, &y}, calls);
    for (int i = 0; i < 64; ++i) {
      const int warp = i / 32, first = warp * 32 - 3;
      std::vector<int32_t> got;
      for (int row = 0; row < 11; ++row)
        got.push_back(y.data[64 * row + i]);
      // The ballot of every third lane from lane 2 on.
      const std::vector<int32_t> low = {0x24924924, 1,  0, 0,  32 * first + 496,           28,
                                        -1,         -3, 0, -1, -1 ^ -2 ^ -3 ^ 29 ^ 30 ^ 31};
      const std::vector<int32_t> high = {-1, 1, 1, 1, 32 * first + 496, 60, 60, 29, 0, 63, 29 ^ 30 ^ 31 ^ 61 ^ 62 ^ 63};
      ASSERT_EQ(got, warp ? high : low) << i;
    }
  });
}

TEST(Emulator, Shuffles) {
  EmulatedKernels kernels(shuffles);
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<int32_t> y;
  underSeveralOrders([&](int64_t calls) {
    kernels.launch("k", {&y}, calls);
    for (int i = 0; i < 64; ++i) {
      const int lane = i % 32, warp = i - lane;
      ASSERT_EQ(y.data[i], warp + (lane ^ 5));
      ASSERT_EQ(y.data[64 + i], warp + 7);
      ASSERT_EQ(y.data[128 + i], lane < 3 ? i : i - 3);
      ASSERT_EQ(y.data[192 + i], lane > 28 ? i : i + 3);
      ASSERT_EQ(y.data[256 + i], lane % 8 > 4 ? i : i + 3);
      ASSERT_EQ(y.data[320 + i], lane % 8 <= 4);
    }
  });
}

TEST(Emulator, Functions) {
  EmulatedKernels kernels(functions);
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<float> x, y;
  for (int i = 0; i < 64; ++i)
    x.data[i] = 0.1f * (i + 1);
  underSeveralOrders([&](int64_t calls) {
    kernels.launch("k", {&x, &y}, calls);
    for (int i = 0; i < 64; ++i)
      ASSERT_EQ(y.data[i], expf(x.data[i]) + 1 / sqrtf(x.data[i]) + x.data[i] * x.data[i]);
  });
}

TEST(Emulator, SynchronisationOfAWarp) {
  EmulatedKernels kernels(neighbours);
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<int32_t> y;
  underSeveralOrders([&](int64_t calls) {
    kernels.launch("k", {&y}, calls);
    for (int i = 0; i < 64; ++i)
      ASSERT_EQ(y.data[i], (i ^ 1) + i / 32 * 32);
  });
}

TEST(Emulator, BlocksRunOnSeveralHostThreads) {
  EmulatedKernels kernels(reduction);
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<float> x, y;
  std::iota(x.data, x.data + 512, 0.0f);
  void *buffers[] = {&x, &y};
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::fill(y.data, y.data + 4, 0.0f);
    std::vector<std::thread> threads;
    for (int b = 0; b < 4; ++b)
      threads.emplace_back([&, b] { kernels.entry("k")(buffers, b, b + 1, nullptr); });
    for (std::thread &thread : threads)
      thread.join();
    for (int b = 0; b < 4; ++b)
      ASSERT_EQ(y.data[b], 128 * (128 * b) + 8128);
  }
}

TEST(Emulator, PointersWhoseBufferIsNotKnown) {
  EmulatedKernels kernels(with(with(elementwise, "%a0[%i]", "%p[%i]"),
                               "%xp =", "%p = llvm.select %isLow, %a0, %a1 : i1, !llvm.ptr<1>\n %xp ="));
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<float> x, y, z;
  std::iota(x.data, x.data + 150, 0.0f);
  underSeveralOrders([&](int64_t calls) {
    kernels.launch("k", {&x, &y, &z}, calls);
    for (int i = 0; i < 150; ++i)
      ASSERT_EQ(z.data[i], i % 64 < 32 ? 2 * i : 0);
  });
}

TEST(Emulator, InPlace) {
  EmulatedKernels kernels(elementwise);
  ASSERT_TRUE(kernels.isLoaded());
  Buffer<float> x, y;
  underSeveralOrders([&](int64_t calls) {
    std::iota(x.data, x.data + 150, 0.0f);
    kernels.launch("k", {&x, &y, &x}, calls);
    for (int i = 0; i < 150; ++i)
      ASSERT_EQ(x.data[i], 2 * i);
  });
}
} // namespace
