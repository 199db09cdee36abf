// Tensors as bulk tensor copies (TMA) of kernels see them, in the form of the driver.
#pragma once

#include "runtime/abi/abi.h"

#include <cuda.h>
#include <vector>

namespace stretto::runtime {

// The maps that a kernel takes behind its buffers, which lie there. Throws Error where the driver is too old for such
// copies, or refuses a map.
std::vector<CUtensorMap> makeTensorMaps(const stretto_kernel &kernel, const std::vector<void *> &buffers);

} // namespace stretto::runtime
