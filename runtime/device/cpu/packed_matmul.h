// Matmuls in f32 on the calling thread, by the tiles of runtime/device/cpu/tiles/matmul.h: blocks of the operands
// are copied so that tiles read them from the caches in order.
#pragma once

#include "runtime/device/cpu/blas.h"

namespace stretto::runtime {

// Whether matmuls and attention in f32 are computed by tiles rather than by MKL: on CPUs with AVX2 that are not
// Intel's, where they are faster (docs/performance/cpu-matmuls.md). Depends on the CPU alone, as bits do.
bool prefersTiles();

// Whether this is the way of a matmul: rows enough to pay for the copies, where tiles are preferred.
bool isPacked(const MatmulShape &shape);

// Columns of the right operand that are copied at once.
constexpr int64_t rightColumns = 768;

// Whether the left operand is copied, for all columns of a tile of C that is not small: if it lies the other way, or,
// where tiles are narrow, if the sets of a first-level cache in which its rows lie are the same.
bool copiesLeft(bool transposes, int64_t stride);

// As multiply (blas.h); `adds`: beta is 1, else 0.
void packedMatmul(int64_t m, int64_t n, int64_t k, Operand<float> a, Operand<float> b, bool adds, float *c,
                  int64_t ldc);

// Takes the memory that packedMatmul needs on the calling thread, and says how much it is; 0 where there is none.
int64_t reservePacking();

} // namespace stretto::runtime
