// Attention by cuDNN's graphs, on the memory of an op as it lies, aligned to 16 bytes: no operand and no result is
// copied. Only cudnn_attention.cpp sees the headers of cuDNN and of its front end.
#pragma once

#include "runtime/core/op.h"

#include <cuda_runtime_api.h>
#include <memory>

namespace stretto::runtime {

// The only name that this source shows to others: LibTorch has functions of another front end under the same names.
class [[gnu::visibility("default")]] CudnnAttention {
public:
  // What a plan may ask for beside the memory of the op: the deterministic backward keeps all scores. Enough for a head
  // and 16,384 tokens.
  static constexpr int64_t usualWorkspace = int64_t{640} << 20;

  CudnnAttention(cudaStream_t stream, bool deterministic, int64_t mostWorkspace = usualWorkspace);
  ~CudnnAttention();

  // Makes the plan of ops of such sizes, unless there is one; returns the bytes of its workspace. Where the workspace
  // of all would be too large, the plan is for some of the sequences, or for some heads of one. Both throw
  // std::runtime_error with cuDNN's reason for what it cannot do, and where the workspace is too large for any part.
  int64_t prepare(const AttentionOp &op);
  int64_t prepare(const AttentionGradOp &op);

  // Of ops that are prepared. `workspace`: as many bytes as that returned.
  void run(const AttentionOp &op, void *workspace);
  void run(const AttentionGradOp &op, void *workspace);

private:
  class Plans;
  std::unique_ptr<Plans> plans;
};

} // namespace stretto::runtime
