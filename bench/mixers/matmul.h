// A matmul of a chunk, [m, n] over k, on dense f32. A transposed operand lies as [k, m], or [n, k]. As in matmuls.py.
#pragma once

#include <cstdint>

struct Matmul {
  int64_t m, n, k, transposesA, transposesB;
  const float *a, *b;
  float *c, *packing; // packing: memory for the elements of a and b
};

// So many times: by the tiles of mixers, which want their right operand transposed before; by oneDNN's block matmul, as
// LibTorch carries it, which wants both; or by MKL.
extern "C" {
void stretto_bench_tiles(const Matmul *matmul, int64_t times);
void stretto_bench_block(const Matmul *matmul, int64_t times);
void stretto_bench_mkl(const Matmul *matmul, int64_t times);
}
