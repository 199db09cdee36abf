// Matmuls of experts over tensors of any device, by LibTorch's operations: what devices compute that have no code of
// their own for them. What is computed is said at seq.expert_linear and seq.expert_sum (ir/seq/SeqExpertOps.td).
#pragma once

#include <ATen/core/Tensor.h>

namespace stretto::runtime {

// Operands and results as those operations have them; results are written in place. Nothing waits for a device.
//
// In bf16 a GPU multiplies only the rows of each expert, by LibTorch's grouped matmul, where columns are a multiple of
// 8; gradients of weights are rounded to bf16 then. Else all rows are multiplied by all weights.
void expertLinear(const at::Tensor &x, const at::Tensor &gates, const at::Tensor &weights, int64_t chosen,
                  const at::Tensor &out);
void expertLinearInputGrad(const at::Tensor &grad, const at::Tensor &gates, const at::Tensor &weights, int64_t chosen,
                           const at::Tensor &out);
void expertLinearWeightGrad(const at::Tensor &grad, const at::Tensor &gates, const at::Tensor &x, int64_t chosen,
                            bool accumulates, const at::Tensor &out);
void expertSum(const at::Tensor &x, const at::Tensor &gates, const at::Tensor &weights, int64_t chosen,
               const at::Tensor &out);
void expertSumInputGrad(const at::Tensor &grad, const at::Tensor &x, const at::Tensor &gates, const at::Tensor &weights,
                        int64_t chosen, const at::Tensor &out, const at::Tensor &dgates);
void expertSumWeightGrad(const at::Tensor &grad, const at::Tensor &gates, const at::Tensor &x, int64_t chosen,
                         bool accumulates, const at::Tensor &out);

} // namespace stretto::runtime
