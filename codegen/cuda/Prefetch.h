//===- Prefetch.h - loads some rounds of a loop before they are needed ---------===//
#pragma once

#include "codegen/cuda/CudaBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace stretto::codegen {

/// Lets each round of a loop load what a later one needs, so that it is on its way while rounds compute: as many rounds
/// ahead as a few registers hold, or none where one round takes too many. The loop counts from 0 to its end, which is
/// at least 1 and at most `rounds`; the last rounds load what the last one needs once more. Such loads read buffers
/// that nobody writes to, at addresses that follow from the counter. Returns the loop that takes the place of `loop`.
mlir::scf::ForOp prefetchLoads(CudaBuilder &b, mlir::scf::ForOp loop, int64_t rounds);

} // namespace stretto::codegen
