// Matmuls and attention of bfloat16 operands on the CPU: operands are widened to float, the work is done in float, and
// what is written is rounded once. They serve programs whose kernels are made for CUDA and emulated.
#pragma once

#include "runtime/core/op.h"

namespace stretto::runtime {

// Floats that an op needs for its widened operands and results.
int64_t wideElements(const MatmulOp &op);
int64_t wideElements(const AttentionOp &op);
int64_t wideElements(const AttentionGradOp &op);
int64_t wideElements(const AttentionStepOp &op);

// `wide`: that many floats; `scratch`: what the op in float needs. lse is float already, as is C where dtypeC says so.
void matmulBf16(const MatmulOp &op, float *wide);
void attentionBf16(const AttentionOp &op, float *wide, char *scratch);
void attentionGradBf16(const AttentionGradOp &op, float *wide, char *scratch);
void attentionStepBf16(const AttentionStepOp &op, float *wide);

// The op in float that does the work of a bfloat16 op, its addresses aside: what the matmuls of one thread are of.
MatmulOp inFloat(MatmulOp op);
AttentionOp inFloat(AttentionOp op);
AttentionGradOp inFloat(AttentionGradOp op);

} // namespace stretto::runtime
