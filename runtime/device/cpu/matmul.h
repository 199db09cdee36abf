// Matmuls by MKL or our own code, cut into tiles of C that one thread computes each.
#pragma once

#include "runtime/core/op.h"
#include "runtime/device/cpu/blas.h"

#include <set>

namespace stretto::runtime {

// How C is cut.
struct MatmulTiles {
  int64_t rows = 0, columns = 0;
};
// For MKL: a function of the shape alone, so that the bits of a matmul do not depend on threads.
MatmulTiles matmulTiles(int64_t m, int64_t n, int64_t k);
// For our own matmuls (packed_matmul.h), whose bits do not depend on tiles.
// `transposesA`, `strideA`: whether A lies the other way, and how far apart what lies in a row is from the next.
MatmulTiles packedTiles(int64_t m, int64_t n, int64_t k, bool transposesA, int64_t strideA, int threads);
MatmulTiles tallTiles(int64_t m, int64_t n, int64_t k, int threads);
MatmulTiles largeTiles(int64_t m, int64_t n, int64_t k, int threads);

// The matmuls of one thread by which MKL computes a matmul. Returns whether it is one of our own instead.
bool collectShapes(const MatmulOp &op, std::set<MatmulShape> &shapes);

// Throws Error when a size does not fit MKL's 32-bit interface.
void matmul(const MatmulOp &op);

// C[m,n] = A[m,k] B[k,n], added to what is there if `adds`, on the calling thread alone. Sizes and strides fit an int.
void multiplyOnThread(int64_t m, int64_t n, int64_t k, Operand<float> a, Operand<float> b, bool adds, float *c,
                      int64_t ldc);
void multiplyOnThread(int64_t m, int64_t n, int64_t k, Operand<double> a, Operand<double> b, bool adds, double *c,
                      int64_t ldc);

} // namespace stretto::runtime
