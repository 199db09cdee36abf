// Types of elements, as LibTorch and as programs name them.
#pragma once

#include "runtime/abi/abi.h"

#include <ATen/core/Tensor.h>

namespace stretto::runtime {

inline at::ScalarType scalarOf(int32_t dtype) {
  switch (dtype) {
  case STRETTO_F64:
    return at::kDouble;
  case STRETTO_I32:
    return at::kInt;
  case STRETTO_BF16:
    return at::kBFloat16;
  default:
    return at::kFloat;
  }
}

// Of a tensor of reals.
inline int32_t dtypeOf(const at::Tensor &tensor) {
  return tensor.scalar_type() == at::kDouble     ? STRETTO_F64
         : tensor.scalar_type() == at::kBFloat16 ? STRETTO_BF16
                                                 : STRETTO_F32;
}

} // namespace stretto::runtime
