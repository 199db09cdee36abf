// Matmuls of chunks, on the calling thread: small ones, whose operands lie in its caches.
#pragma once

#include "runtime/device/cpu/blas.h"
#include "runtime/device/cpu/mixer/rows.h"

namespace stretto::runtime::mixer {

// Elements that an operand has at most to be transposed before a matmul; larger ones are left to MKL, which reads them
// so.
constexpr int64_t packedElements = 8192;

// oneDNN's block matmul as LibTorch carries it: C (+)= A B, all row-major.
void blockProduct(int64_t m, int64_t n, int64_t k, const float *a, int64_t lda, const float *b, int64_t ldb, bool adds,
                  float *c, int64_t ldc);

// C[m,n] (+)= A[m,k] B[k,n]. `packing`: memory for packedElements of each operand. In f32 the block matmul, which is
// faster than MKL the smaller the matrices are (docs/mixers.md); its bits depend on the sizes alone, as MKL's do.
template <typename Real>
void product(int64_t m, int64_t n, int64_t k, Operand<Real> a, Operand<Real> b, bool adds, Matrix<Real> c,
             Real *packing) {
  if constexpr (sizeof(Real) == sizeof(float)) {
    auto fits = [](bool transposed, int64_t elements) { return !transposed || elements <= packedElements; };
    if (fits(a.transpose, m * k) && fits(b.transpose, k * n)) {
      if (a.transpose) {
        transposeRows(k, m, {a.data, a.stride}, {packing, k});
        a = {packing, k};
      }
      if (b.transpose) {
        transposeRows(n, k, {b.data, b.stride}, {packing + packedElements, n});
        b = {packing + packedElements, n};
      }
      return blockProduct(m, n, k, a.data, a.stride, b.data, b.stride, adds, c.data, c.stride);
    }
  }
  multiply<Real>(m, n, k, a, b, adds ? 1 : 0, c.data, c.stride);
}

} // namespace stretto::runtime::mixer
