// Matmuls of experts over tensors of any device, by LibTorch's operations: what devices compute that have no code of
// their own for them. What is computed is said at seq.expert_linear and seq.expert_sum (ir/seq/SeqExpertOps.td).
#pragma once

#include <ATen/core/Tensor.h>

namespace stretto::runtime {

// What all of them have.
struct ExpertTensors {
  at::Tensor gates;
  int64_t chosen = 1;
  // Whether LibTorch's grouped matmul may be used: it multiplies only the rows of each expert, and waits for no GPU of
  // compute capability 9 or 10. It is for bf16, columns that are a multiple of 8, and fewer than 1024 experts; else all
  // rows, one for each expert that a token goes to, are multiplied by all weights.
  bool mayGroup = false;
};

// Other operands and results as those operations have them; results are written in place. Nothing waits for a device.
// In bf16, products of rows and weights are rounded before they are multiplied by gates and added up, as LibTorch's
// matmuls give them; so are gradients of weights by the grouped matmul.
void expertLinear(const ExpertTensors &experts, const at::Tensor &x, const at::Tensor &weights, const at::Tensor &out);
void expertLinearInputGrad(const ExpertTensors &experts, const at::Tensor &grad, const at::Tensor &weights,
                           const at::Tensor &out);
void expertLinearWeightGrad(const ExpertTensors &experts, const at::Tensor &grad, const at::Tensor &x, bool accumulates,
                            const at::Tensor &out);
void expertSum(const ExpertTensors &experts, const at::Tensor &x, const at::Tensor &weights, const at::Tensor &out);
void expertSumInputGrad(const ExpertTensors &experts, const at::Tensor &grad, const at::Tensor &x,
                        const at::Tensor &weights, const at::Tensor &out, const at::Tensor &dgates);
void expertSumWeightGrad(const ExpertTensors &experts, const at::Tensor &grad, const at::Tensor &x, bool accumulates,
                         const at::Tensor &out);

} // namespace stretto::runtime
