// Softmax attention in f32 by the tiles of runtime/device/cpu/tiles/matmul.h.
#pragma once

#include "runtime/core/op.h"

namespace stretto::runtime {

// Bytes of scratch memory that each thread needs.
int64_t tiledScratch(const AttentionOp &op);
int64_t tiledScratch(const AttentionGradOp &op);

// `scratch`: so many bytes for each thread, aligned to 64.
void tiledAttention(const AttentionOp &op, char *scratch);
void tiledAttentionGrad(const AttentionGradOp &op, char *scratch);

} // namespace stretto::runtime
