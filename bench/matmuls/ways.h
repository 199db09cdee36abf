// A matmul of a layer, [m, n] over k, on dense f32. A transposed operand lies as [k, m], or [n, k]. As in run.py.
#pragma once

#include "runtime/device/cpu/blas.h"

struct Matmul {
  int64_t m, n, k, transposesA, transposesB;
  const float *a, *b;
  float *c;
  stretto::runtime::Operand<float> left() const { return {a, transposesA ? m : k, transposesA != 0}; }
  stretto::runtime::Operand<float> right() const { return {b, transposesB ? k : n, transposesB != 0}; }
};

// The part of an operand that begins at a row and a column of what is meant.
inline stretto::runtime::Operand<float> from(stretto::runtime::Operand<float> operand, int64_t row, int64_t column) {
  operand.data += operand.transpose ? column * operand.stride + row : row * operand.stride + column;
  return operand;
}

// All of `count` matmuls, on one thread: by our tiles and by MKL, cut as the runtime cuts them, or by oneDNN's block
// matmul, as LibTorch carries it.
extern "C" {
void stretto_bench_tiles(const Matmul *matmuls, int64_t count);
void stretto_bench_mkl(const Matmul *matmuls, int64_t count);
void stretto_bench_brgemm(const Matmul *matmuls, int64_t count);
}
