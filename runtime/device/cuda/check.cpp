// Failures of CUDA's libraries as errors for the user.
#include "runtime/device/cuda/check.h"

#include <fmt/format.h>

namespace stretto::runtime {

void check(cudaError_t status, const char *doing) {
  if (status != cudaSuccess)
    throw Error(fmt::format("cannot {}: {} ({})", doing, cudaGetErrorString(status), cudaGetErrorName(status)));
}

void check(cublasStatus_t status, const char *doing) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Error(fmt::format("cannot {}: {}", doing, cublasLtGetStatusString(status)));
}

} // namespace stretto::runtime
