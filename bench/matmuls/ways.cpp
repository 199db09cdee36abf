// Matmuls of layers by our tiles and by MKL, as C functions for Python.
#include "bench/matmuls/ways.h"

#include "runtime/device/cpu/matmul.h"
#include "runtime/device/cpu/packed_matmul.h"

#include <algorithm>

using namespace stretto::runtime;

// Calls work(rows, columns, left, right, c) with each tile of the result.
template <typename Work> static void forEachTile(const Matmul *matmuls, int64_t count, bool isPacked, Work work) {
  for (const Matmul *matmul = matmuls; matmul < matmuls + count; ++matmul) {
    const MatmulTiles tiles =
        isPacked ? packedTiles(matmul->m, matmul->n, matmul->k, matmul->transposesA != 0, matmul->left().stride,
                               /*threads=*/1)
                 : matmulTiles(matmul->m, matmul->n, matmul->k);
    for (int64_t i = 0; i < matmul->m; i += tiles.rows)
      for (int64_t j = 0; j < matmul->n; j += tiles.columns)
        work(*matmul, std::min(tiles.rows, matmul->m - i), std::min(tiles.columns, matmul->n - j),
             from(matmul->left(), i, 0), from(matmul->right(), 0, j), matmul->c + i * matmul->n + j);
  }
}

void stretto_bench_tiles(const Matmul *matmuls, int64_t count) {
  forEachTile(matmuls, count, /*isPacked=*/true,
              [](const Matmul &matmul, int64_t rows, int64_t columns, Operand<float> a, Operand<float> b, float *c) {
                packedMatmul(rows, columns, matmul.k, a, b, /*adds=*/false, c, matmul.n);
              });
}

void stretto_bench_mkl(const Matmul *matmuls, int64_t count) {
  forEachTile(matmuls, count, /*isPacked=*/false,
              [](const Matmul &matmul, int64_t rows, int64_t columns, Operand<float> a, Operand<float> b, float *c) {
                multiply<float>(rows, columns, matmul.k, a, b, 0, c, matmul.n);
              });
}
