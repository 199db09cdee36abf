// Softmax attention in blocks of queries, by matmuls and work on rows of scores.
#pragma once

#include "runtime/core/op.h"
#include "runtime/device/cpu/blas.h"

#include <set>

namespace stretto::runtime {

// The matmuls of one thread that attention and its gradient consist of.
void collectShapes(const AttentionOp &op, std::set<MatmulShape> &shapes);
void collectShapes(const AttentionGradOp &op, std::set<MatmulShape> &shapes);

void attention(const AttentionOp &op);
void attentionGrad(const AttentionGradOp &op);

} // namespace stretto::runtime
