// MKL's matmul as LibTorch carries it, for row-major matrices, on the calling thread alone.
#pragma once

#include "runtime/core/matmul_shape.h"

#include <cstdint>

extern "C" {
void sgemm_(const char *, const char *, const int *, const int *, const int *, const float *, const float *,
            const int *, const float *, const int *, const float *, float *, const int *);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
int MKL_Set_Num_Threads_Local(int);
// What MKL's service functions do; LibTorch exports them under these names alone.
int64_t mkl_serv_peak_mem_usage(int request); // of the buffers below; see the requests
void mkl_serv_free_buffers();                 // gives back the buffers that MKL keeps between matmuls
}

namespace stretto::runtime {

// Requests of mkl_serv_peak_mem_usage (mkl_service.h of oneMKL).
constexpr int peakReset = -1, peakEnable = 1, peakRead = 2;

// A matrix as it lies in memory: rows `stride` elements apart; read as its transpose if asked.
template <typename Real> struct Operand {
  const Real *data = nullptr;
  int64_t stride = 0;
  bool transpose = false;
};

// C[m,n] = A[m,k] B[k,n] + beta C. Sizes and strides fit an int. MKL is column-major: it computes C' = B' A'.
template <typename Real>
void multiply(int64_t m, int64_t n, int64_t k, Operand<Real> a, Operand<Real> b, Real beta, Real *c, int64_t ldc) {
  const int rows = static_cast<int>(n), columns = static_cast<int>(m), depth = static_cast<int>(k);
  const int strideA = static_cast<int>(a.stride), strideB = static_cast<int>(b.stride), strideC = static_cast<int>(ldc);
  const Real one = 1;
  const char *first = b.transpose ? "T" : "N", *second = a.transpose ? "T" : "N";
  MKL_Set_Num_Threads_Local(1);
  if constexpr (sizeof(Real) == sizeof(float))
    sgemm_(first, second, &rows, &columns, &depth, &one, b.data, &strideB, a.data, &strideA, &beta, c, &strideC);
  else
    dgemm_(first, second, &rows, &columns, &depth, &one, b.data, &strideB, a.data, &strideA, &beta, c, &strideC);
}

} // namespace stretto::runtime
