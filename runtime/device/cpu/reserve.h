// The memory that MKL takes for matmuls: taken before a program runs, and counted.
#pragma once

#include "runtime/core/op.h"

namespace stretto::runtime {

// Gives back what MKL keeps, then multiplies once on each thread in each size, largest first, so that one buffer
// serves all. MKL keeps its buffers from then on.
void reserveForMatmuls(const ReserveOp &op);

// The most bytes MKL held at once since then.
int64_t matmulMemoryPeak();

} // namespace stretto::runtime
