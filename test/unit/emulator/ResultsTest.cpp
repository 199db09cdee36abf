//===- ResultsTest.cpp - emulated kernels give the numbers they say --------------===//
#include "EmulatedKernels.h"
#include "Kernels.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace stretto::test;

namespace {
/// Several orders of warps and blocks, several ways to divide a launch, with all checks.
template <typename Run> void underSeveralOrders(const Run &run) {
  stretto_emulator_set_checks(STRETTO_EMULATOR_CHECKS_FULL);
  for (uint64_t seed : {0, 1, 2, 3})
    for (int64_t calls : {1, 3}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", calls " + std::to_string(calls));
      stretto_emulator_set_seed(seed);
      run(calls);
    }
}

template <typename T> struct alignas(64) Buffer {
  T data[1024] = {};
};

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
} // namespace
