// Matmuls of layers by our tiles and by MKL, as C functions for Python.
#include "bench/matmuls/ways.h"

#include "runtime/device/cpu/packed_matmul.h"

#include <algorithm>

using namespace stretto::runtime;

// Calls work(rows, columns, left, right, c) with each tile of the result.
template <typename Work> static void forEachTile(const Matmul *matmuls, int64_t count, Work work) {
  constexpr int64_t side = 512;
  for (const Matmul *matmul = matmuls; matmul < matmuls + count; ++matmul)
    for (int64_t i = 0; i < matmul->m; i += side)
      for (int64_t j = 0; j < matmul->n; j += side)
        work(*matmul, std::min(side, matmul->m - i), std::min(side, matmul->n - j), from(matmul->left(), i, 0),
             from(matmul->right(), 0, j), matmul->c + i * matmul->n + j);
}

void stretto_bench_tiles(const Matmul *matmuls, int64_t count) {
  forEachTile(matmuls, count,
              [](const Matmul &matmul, int64_t rows, int64_t columns, Operand<float> a, Operand<float> b, float *c) {
                packedMatmul(rows, columns, matmul.k, a, b, /*adds=*/false, c, matmul.n);
              });
}

void stretto_bench_mkl(const Matmul *matmuls, int64_t count) {
  forEachTile(matmuls, count,
              [](const Matmul &matmul, int64_t rows, int64_t columns, Operand<float> a, Operand<float> b, float *c) {
                multiply<float>(rows, columns, matmul.k, a, b, 0, c, matmul.n);
              });
}
