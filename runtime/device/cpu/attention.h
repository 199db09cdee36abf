// Softmax attention in blocks of queries: in f32 by tiles (attention_tiles.h) where they are faster, else by MKL.
#pragma once

#include "runtime/core/op.h"
#include "runtime/device/cpu/blas.h"

#include <set>

namespace stretto::runtime {

// The matmuls of one thread that attention and its gradient consist of, as far as MKL computes them.
void collectShapes(const AttentionOp &op, std::set<MatmulShape> &shapes);
void collectShapes(const AttentionGradOp &op, std::set<MatmulShape> &shapes);

// Bytes of scratch memory that each thread needs.
int64_t attentionScratch(const AttentionOp &op);
int64_t attentionScratch(const AttentionGradOp &op);

// `scratch`: so many bytes for each thread, aligned to 64.
void attention(const AttentionOp &op, char *scratch);
void attentionGrad(const AttentionGradOp &op, char *scratch);

} // namespace stretto::runtime
