// The ways to compute attention. For attention*.cpp alone: includes LibTorch's headers.
#pragma once

#include "runtime/core/op.h"
#include "runtime/device/cuda/cudnn_attention.h"
#include "runtime/device/cuda/torch_work.h"

#include <ATen/core/Tensor.h>
#include <optional>

namespace stretto::runtime {

enum class AttentionMethod { Cudnn, Flash, Efficient, Plain };
const char *nameOf(AttentionMethod method);

// Attention as tensors over the memory of an op: q: [batch, length, heads, headDim], k: [..., kvHeads, headDim],
// v: [..., kvHeads, valueDim], o: [..., heads, valueDim],
// lse: [batch, heads, length]; undefined where they are not there: positions: [batch, length] and
// starts: [documents + 1] as in stretto_input, sinks: [heads], share and decay: [batch, length, heads], bias: [heads,
// reach].
struct AttentionTensors {
  at::Tensor q, k, v, o, lse, positions, starts, sinks, share, decay, bias;
  double scale = 1;
  bool causal = true;
  std::optional<int64_t> window; // as in stretto_attention_args, where it hides anything
  bool alibi = false;
  std::optional<double> cap;             // as in stretto_attention_args, where there is one
  int64_t mostScores = int64_t{1} << 28; // numbers of them that the plain way holds at once
};
struct AttentionGradTensors {
  AttentionTensors forward;
  at::Tensor dOut, dq, dk, dv, dDecay, dBias; // the last two: undefined without a decay, without a bias
};
// `device`: where the memory is.
AttentionTensors tensorsOf(const AttentionOp &op, at::Device device = currentGpu());
AttentionGradTensors tensorsOf(const AttentionGradOp &op, at::Device device = currentGpu());

// Whether the rows and sums of an op are aligned to 16 bytes.
bool isAligned(const AttentionOp &op);

// Whether a method may be tried on such an op: libraries take only what is aligned, cuDNN and flash attention rows of
// bfloat16, memory-efficient attention those of float; for flash attention values are as wide as keys, and it must be
// told where documents begin, the others take none. None of them caps scores or takes a decay or a bias.
bool mayTry(AttentionMethod method, const AttentionOp &op);
bool mayTry(AttentionMethod method, const AttentionGradOp &op);

// Gives sinks their share of what has been computed without them: changes o and lse, and fills share. Nothing is done
// where there are none.
void addSinks(const AttentionTensors &tensors);

// By matmuls and a softmax, on any device: fill o, lse and share; and dq, dk, dv, dDecay and dBias from them.
void attendPlainly(const AttentionTensors &tensors);
void attendPlainlyBackward(const AttentionGradTensors &tensors);

// By any of them, on a stream that is LibTorch's current one meanwhile. What a method does not know ends in an
// exception of its library, which is no Error.
class AttentionMethods {
public:
  AttentionMethods(cudaStream_t stream, bool deterministic)
      : deterministic(deterministic), cudnn(stream, deterministic) {}
  void attend(AttentionMethod method, const AttentionOp &op);
  void attendBackward(AttentionMethod method, const AttentionGradOp &op);

private:
  template <typename Op> void attendByCudnn(const Op &op);

  bool deterministic; // see DeviceOptions
  CudnnAttention cudnn;
};

} // namespace stretto::runtime
