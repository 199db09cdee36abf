//===- TilesTest.cpp - matrices that a warp holds, loaded and multiplied --------===//
#include "EmulatedKernels.h"
#include "Orders.h"
#include "TileKernels.h"

#include <bit>
#include <cmath>
#include <random>

using namespace stretto::test;

namespace {
uint16_t bf16(int small) { return std::bit_cast<uint32_t>(static_cast<float>(small)) >> 16; }

template <typename T> struct alignas(64) Numbers {
  T data[4096] = {};
};

TEST(Tiles, MatrixLoads) {
  EmulatedKernels kernels(matrixLoads);
  ASSERT_TRUE(kernels.isLoaded());
  Numbers<uint16_t> rows;
  Numbers<uint32_t> got;
  for (int i = 0; i < 256; ++i)
    rows.data[i] = 1000 + i;
  underSeveralOrders([&](int64_t calls) {
    kernels.launch("k", {&rows, &got}, calls);
    int number = 0;
    for (bool transposed : {false, true})
      for (int count : {1, 2, 4})
        for (int matrix = 0; matrix < count; ++matrix, ++number)
          for (int lane = 0; lane < 32; ++lane) {
            const int g = lane / 4, t = lane % 4, first = matrix * 64;
            const int low = transposed ? 16 * t + g : 8 * g + 2 * t, high = low + (transposed ? 8 : 1);
            ASSERT_EQ(got.data[32 * number + lane], rows.data[first + low] | uint32_t(rows.data[first + high]) << 16)
                << "register " << number << " of lane " << lane;
          }
  });
}

TEST(Tiles, MatrixStores) {
  EmulatedKernels kernels(matrixStores);
  ASSERT_TRUE(kernels.isLoaded());
  Numbers<uint32_t> registers;
  Numbers<uint16_t> got;
  for (int i = 0; i < 14 * 32; ++i)
    registers.data[i] = 2 * i | (2 * i + 1) << 16;
  underSeveralOrders([&](int64_t calls) {
    kernels.launch("k", {&registers, &got}, calls);
    for (int matrix = 0; matrix < 14; ++matrix)
      for (int row = 0; row < 8; ++row)
        for (int column = 0; column < 8; ++column) {
          const bool transposed = matrix >= 7;
          const int g = transposed ? column : row, of = transposed ? row : column;
          ASSERT_EQ(got.data[64 * matrix + 8 * row + column], 64 * matrix + 8 * g + of)
              << "matrix " << matrix << ", row " << row << ", column " << column;
        }
  });
}

/// Small whole numbers as bf16 and as they are.
struct Factor {
  Factor(int count, uint64_t seed) : exact(count) {
    std::mt19937_64 engine(seed);
    for (int i = 0; i < count; ++i) {
      exact[i] = static_cast<int>(engine() % 17) - 8;
      rounded.data[i] = bf16(exact[i]);
    }
  }
  std::vector<int> exact;
  Numbers<uint16_t> rounded;
};

/// Launches a matmul of bf16 [rows,inner] and [inner,columns]; whole numbers come out exactly.
void expectMatmul(const std::string &text, int rows, int inner, int columns) {
  EmulatedKernels kernels(text);
  ASSERT_TRUE(kernels.isLoaded());
  Factor a(rows * inner, 1), b(inner * columns, 2);
  underSeveralOrders([&](int64_t calls) {
    Numbers<float> c;
    kernels.launch("k", {&a.rounded, &b.rounded, &c}, calls);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        int want = 0;
        for (int k = 0; k < inner; ++k)
          want += a.exact[i * inner + k] * b.exact[k * columns + j];
        ASSERT_EQ(c.data[i * columns + j], want) << "row " << i << ", column " << j;
      }
  });
}

TEST(Tiles, SmallMatmul) { expectMatmul(smallMatmul, 16, 16, 8); }
TEST(Tiles, TiledMatmul) { expectMatmul(tiledMatmul, 60, 64, 64); }

/// Random numbers of all bits.
template <typename T> Numbers<T> randomNumbers(uint64_t seed) {
  std::mt19937_64 engine(seed);
  Numbers<T> numbers;
  for (T &number : numbers.data)
    number = std::ldexp(static_cast<double>(engine() >> 11), -52) - 1;
  return numbers;
}

float withoutLowBits(float x, uint32_t plus) {
  return std::bit_cast<float>((std::bit_cast<uint32_t>(x) + plus) & 0xffffe000);
}

TEST(Tiles, MatmulOfTF32) {
  EmulatedKernels kernels(tf32Matmul);
  ASSERT_TRUE(kernels.isLoaded());
  Numbers<float> a = randomNumbers<float>(1), b = randomNumbers<float>(2), before = randomNumbers<float>(3);
  a.data[0] = std::bit_cast<float>(0x3f801000); // halfway between two: away from zero
  underSeveralOrders([&](int64_t calls) {
    Numbers<float> c = before;
    kernels.launch("k", {&a, &b, &c}, calls);
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 8; ++j) {
        double want = before.data[8 * i + j];
        for (int k = 0; k < 8; ++k)
          want += double(withoutLowBits(a.data[8 * i + k], 0x1000)) * withoutLowBits(b.data[8 * k + j], 0);
        ASSERT_EQ(c.data[8 * i + j], static_cast<float>(want)) << "row " << i << ", column " << j;
      }
  });
  a.data[0] = NAN;
  Numbers<float> c;
  kernels.launch("k", {&a, &b, &c});
  EXPECT_TRUE(std::isnan(c.data[0]) && !std::isnan(c.data[8]));
}

TEST(Tiles, MatmulOfDouble) {
  EmulatedKernels kernels(f64Matmul);
  ASSERT_TRUE(kernels.isLoaded());
  Numbers<double> a = randomNumbers<double>(1), b = randomNumbers<double>(2), before = randomNumbers<double>(3);
  underSeveralOrders([&](int64_t calls) {
    Numbers<double> c = before;
    kernels.launch("k", {&a, &b, &c}, calls);
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) {
        double want = before.data[8 * i + j];
        for (int k = 0; k < 4; ++k)
          want = std::fma(a.data[4 * i + k], b.data[8 * k + j], want);
        ASSERT_EQ(c.data[8 * i + j], want) << "row " << i << ", column " << j;
      }
  });
}
} // namespace
