// Attention on the device: by cuDNN, or by flash attention as LibTorch has it, in f32 by its memory-efficient
// attention; by matmuls and a softmax where these do not serve (f64, odd sizes). Only attention*.cpp see LibTorch's
// headers.
#pragma once

#include "runtime/core/op.h"

#include <cuda_runtime_api.h>
#include <memory>
#include <string>

namespace stretto::runtime {

class Attention {
public:
  // `deterministic`: the backward gives the same bits each time.
  Attention(cudaStream_t stream, bool deterministic);
  ~Attention();

  // Decides who computes attention of each size and alignment, after trying all on random data: who fails, or disagrees
  // with a plain computation, is out; of the others the first in a fixed order is taken, unless another is quicker by a
  // fifth, so that chance decides nothing. Takes the memory that their work will need.
  void reserve(const ReserveOp &op);

  // Both throw Error for sizes and alignments that were not reserved.
  void run(const AttentionOp &op);
  void run(const AttentionGradOp &op);

  // The most bytes that LibTorch held at once, workspaces among them, since the latest `reserve`, and those it holds
  // now.
  int64_t peakBytes() const;
  int64_t heldBytes() const;
  // Who computes it, and who was refused and why: "cuDNN, backward cuDNN"; empty where there is no attention.
  std::string describe() const;

private:
  class Work;
  std::unique_ptr<Work> work;
};

} // namespace stretto::runtime
