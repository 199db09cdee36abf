// Tries ways to compute attention on the device, on random data. For attention*.cpp alone: includes LibTorch's headers.
#pragma once

#include "runtime/device/cuda/attention_methods.h"

#include <cuda_runtime_api.h>
#include <string>
#include <vector>

namespace stretto::runtime {

// Who computes attention of one size: forward, and its gradient.
struct AttentionChoice {
  AttentionMethod forward = AttentionMethod::Plain, backward = AttentionMethod::Plain;
  std::string refused = {}; // who was tried and is out, and why; may be empty
};
std::string nameOf(const AttentionChoice &choice); // "cuDNN, backward flash"

// An op of the same sizes on memory of its own, filled with random numbers.
struct AttentionSample {
  explicit AttentionSample(const AttentionOp &op);
  explicit AttentionSample(const AttentionGradOp &op);
  AttentionGradOp op; // of a forward op alone: only `forward` is filled in
  std::vector<at::Tensor> memory;
};

// The choice for a forward op and its gradients, all of one size; see Attention::reserve.
AttentionChoice chooseAttention(const AttentionOp &forward, const std::vector<AttentionGradOp> &gradients,
                                AttentionMethods &methods, cudaStream_t stream);

} // namespace stretto::runtime
