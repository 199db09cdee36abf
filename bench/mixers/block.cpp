// Matmuls of chunks by oneDNN. Sees LibTorch's headers.
#include "bench/mixers/matmul.h"

#include "runtime/device/cpu/tiles/matrix.h"

#include <ATen/native/CPUBlas.h>

using namespace stretto::runtime;

void stretto_bench_block(const Matmul *matmul, int64_t times) {
  const Matmul &p = *matmul;
  float *const packedA = p.packing, *const packedB = p.packing + p.m * p.k;
  for (; times > 0; --times) {
    if (p.transposesA)
      tiles::transposeRows(p.k, p.m, {p.a, p.m}, {packedA, p.k});
    if (p.transposesB)
      tiles::transposeRows(p.n, p.k, {p.b, p.k}, {packedB, p.n});
    at::native::cpublas::brgemm(p.m, p.n, p.k, p.k, p.n, p.n, /*add_C=*/false, p.transposesA ? packedA : p.a,
                                p.transposesB ? packedB : p.b, p.c);
  }
}
