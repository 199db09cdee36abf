// Memory of the made-up GPU for an op of attention and its gradient, and what the CPU computes there.
#pragma once

#include "runtime/device/cuda/attention_methods.h"

#include <ATen/ops/from_blob.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <vector>

namespace stretto::test {

struct AttentionSizes {
  int64_t batch, length, heads, kvHeads, headDim;
  bool causal = true;
};

// q, k and v lie side by side, and so do their gradients; all rows are wider than what is in them.
class AttentionMemory {
public:
  explicit AttentionMemory(const AttentionSizes &sizes) {
    runtime::AttentionOp &forward = grad.forward;
    forward.dtype = STRETTO_BF16, forward.causal = sizes.causal, forward.scale = 0.5;
    forward.batch = sizes.batch, forward.length = sizes.length, forward.heads = sizes.heads;
    forward.kv_heads = sizes.kvHeads, forward.head_dim = sizes.headDim;
    const int64_t width = sizes.heads * sizes.headDim, kvWidth = sizes.kvHeads * sizes.headDim;
    forward.q_stride = forward.k_stride = forward.v_stride = width + 2 * kvWidth + 8, forward.o_stride = width + 16;
    grad.dq_stride = grad.dk_stride = grad.dv_stride = width + 2 * kvWidth + 24, grad.do_stride = width + 32;
    const int64_t tokens = sizes.batch * sizes.length;
    elements = tokens * (forward.q_stride + forward.o_stride + grad.dq_stride + grad.do_stride + 2 * sizes.heads);
    cudaMalloc(&memory, elements * 2);
    auto *at = static_cast<uint16_t *>(memory);
    const auto take = [&](int64_t columns) { return std::exchange(at, at + tokens * columns); };
    uint16_t *packed = take(forward.q_stride), *dPacked = take(grad.dq_stride);
    forward.q = packed, forward.k = packed + width, forward.v = packed + width + kvWidth;
    grad.d_q = dPacked, grad.d_k = dPacked + width, grad.d_v = dPacked + width + kvWidth;
    forward.o = take(forward.o_stride), grad.d_o = take(grad.do_stride), forward.lse = at;
    at::from_blob(memory, {elements - 2 * sizes.heads * tokens}, at::kBFloat16).normal_();
  }
  ~AttentionMemory() { cudaFree(memory); }
  AttentionMemory(const AttentionMemory &) = delete;
  AttentionMemory &operator=(const AttentionMemory &) = delete;

  // What is written, where it lies: o, the sums, and the gradients of q, k and v.
  std::vector<at::Tensor> written() const {
    const runtime::AttentionGradTensors tensors = runtime::tensorsOf(grad, at::kCPU);
    return {tensors.forward.o, tensors.forward.lse, tensors.dq, tensors.dk, tensors.dv};
  }
  void forget() const {
    for (const at::Tensor &each : written())
      each.zero_();
  }
  // All of the memory, with what is between the rows.
  at::Tensor bits() const { return at::from_blob(memory, {elements}, at::kShort).clone(); }
  // The memory as it is once the CPU has computed everything there; is what it was again.
  at::Tensor expectedBits() const {
    const at::Tensor before = bits();
    runtime::attendPlainly(runtime::tensorsOf(grad.forward, at::kCPU));
    runtime::attendPlainlyBackward(runtime::tensorsOf(grad, at::kCPU));
    at::Tensor expected = bits();
    at::from_blob(memory, {elements}, at::kShort).copy_(before);
    return expected;
  }
  // What is written agrees with such a memory up to roundings, and nothing else has changed.
  void expectLike(const at::Tensor &expected) const {
    const at::Tensor found = bits();
    std::vector<at::Tensor> results;
    for (const at::Tensor &each : written())
      results.push_back(each.to(at::kFloat, /*non_blocking=*/false, /*copy=*/true));
    at::from_blob(memory, {elements}, at::kShort).copy_(expected);
    const std::vector<at::Tensor> right = written();
    for (size_t i = 0; i < right.size(); ++i) {
      const at::Tensor expectedResult = right[i].to(at::kFloat);
      const double size = expectedResult.norm().item().toDouble();
      EXPECT_LE(results[i].sub(expectedResult).norm().item().toDouble(), 0.015 * size) << "result " << i;
    }
    const at::Tensor before = found.clone();
    forget();
    const at::Tensor rest = bits();
    at::from_blob(memory, {elements}, at::kShort).copy_(before);
    forget();
    EXPECT_TRUE(bits().equal(rest)) << "what lies beside the results";
    at::from_blob(memory, {elements}, at::kShort).copy_(found);
  }

  runtime::AttentionGradOp grad;

private:
  void *memory = nullptr;
  int64_t elements = 0; // of two bytes
};

} // namespace stretto::test
