// Failures of CUDA's libraries as errors for the user.
#pragma once

#include "runtime/core/error.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>

namespace stretto::runtime {

// Throw Error where the status is not success. `doing`: what failed, as in "cannot <doing>".
void check(cudaError_t status, const char *doing);
void check(cublasStatus_t status, const char *doing);

} // namespace stretto::runtime
