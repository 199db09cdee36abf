// Attention of a few queries of each sequence over cached keys and values.
#pragma once

#include "runtime/core/op.h"
#include "runtime/device/cpu/blas.h"

#include <set>

namespace stretto::runtime {

// The matmuls of one thread that a step consists of, for caches that are full.
void collectShapes(const AttentionStepOp &op, std::set<MatmulShape> &shapes);

void attentionStep(const AttentionStepOp &op);

} // namespace stretto::runtime
