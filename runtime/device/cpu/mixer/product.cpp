// The block matmul of oneDNN. Sees LibTorch's headers.
#include "runtime/device/cpu/mixer/product.h"

#include <ATen/native/CPUBlas.h>

namespace stretto::runtime::mixer {

void blockProduct(int64_t m, int64_t n, int64_t k, const float *a, int64_t lda, const float *b, int64_t ldb, bool adds,
                  float *c, int64_t ldc) {
  at::native::cpublas::brgemm(m, n, k, lda, ldb, ldc, adds, a, b, c);
}

} // namespace stretto::runtime::mixer
