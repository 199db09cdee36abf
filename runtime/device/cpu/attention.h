// Softmax attention in blocks of queries, by matrix products and work on rows of scores.
#pragma once

#include "runtime/core/op.h"

namespace stretto {

void attention(const AttentionOp &op);
void attentionGrad(const AttentionGradOp &op);

} // namespace stretto
