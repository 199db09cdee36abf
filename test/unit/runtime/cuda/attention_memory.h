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
  int32_t dtype = STRETTO_BF16;
  int64_t window = 0;
  bool alibi = false;
  int64_t values = 0; // columns of a head of v; 0: as of k
  bool sinks = false;
};

// q, k and v lie side by side, and so do their gradients; all rows are wider than what is in them. Rows begin `offset`
// elements behind an aligned address.
class AttentionMemory {
public:
  explicit AttentionMemory(const AttentionSizes &sizes, int64_t offset = 0) {
    runtime::AttentionOp &forward = grad.forward;
    forward.dtype = sizes.dtype, forward.causal = sizes.causal, forward.scale = 0.5;
    forward.window = sizes.window, forward.alibi = sizes.alibi;
    forward.batch = sizes.batch, forward.length = sizes.length, forward.heads = sizes.heads;
    forward.kv_heads = sizes.kvHeads, forward.head_dim = sizes.headDim;
    forward.value_dim = sizes.values ? sizes.values : sizes.headDim;
    const int64_t width = sizes.heads * sizes.headDim, keyWidth = sizes.kvHeads * sizes.headDim,
                  packedWidth = width + keyWidth + sizes.kvHeads * forward.value_dim,
                  outWidth = sizes.heads * forward.value_dim;
    forward.q_stride = forward.k_stride = forward.v_stride = packedWidth + 8, forward.o_stride = outWidth + 16;
    grad.dq_stride = grad.dk_stride = grad.dv_stride = packedWidth + 24, grad.do_stride = outWidth + 32;
    const int64_t tokens = sizes.batch * sizes.length, size = runtime::elementBytes(sizes.dtype);
    const int64_t rows = offset + tokens * (forward.q_stride + forward.o_stride + grad.dq_stride + grad.do_stride);
    const int64_t sums = tokens * sizes.heads; // and as many shares, and a sink for each head
    bytes = rows * size + (sizes.sinks ? 2 * sums + sizes.heads : sums) * 4;
    cudaMalloc(&memory, bytes);
    auto *at = static_cast<std::byte *>(memory) + offset * size;
    const auto take = [&](int64_t columns) { return std::exchange(at, at + tokens * columns * size); };
    std::byte *packed = take(forward.q_stride), *dPacked = take(grad.dq_stride);
    forward.q = packed, forward.k = packed + width * size, forward.v = packed + (width + keyWidth) * size;
    grad.d_q = dPacked, grad.d_k = dPacked + width * size, grad.d_v = dPacked + (width + keyWidth) * size;
    forward.o = take(forward.o_stride), grad.d_o = take(grad.do_stride);
    auto *const reals = reinterpret_cast<float *>(static_cast<std::byte *>(memory) + rows * size);
    forward.lse = reals;
    at::from_blob(memory, {rows}, sizes.dtype == STRETTO_BF16 ? at::kBFloat16 : at::kFloat).normal_();
    if (sizes.sinks) {
      forward.has_sinks = 1;
      forward.share = reals + sums, forward.sinks = reals + 2 * sums;
      at::from_blob(forward.sinks, {sizes.heads}, at::kFloat).normal_();
    }
  }
  ~AttentionMemory() { cudaFree(memory); }
  AttentionMemory(const AttentionMemory &) = delete;
  AttentionMemory &operator=(const AttentionMemory &) = delete;

  // What is written, where it lies: o, the sums, the gradients of q, k and v, and shares of sinks.
  std::vector<at::Tensor> written() const {
    const runtime::AttentionGradTensors tensors = runtime::tensorsOf(grad, at::kCPU);
    std::vector<at::Tensor> all{tensors.forward.o, tensors.forward.lse, tensors.dq, tensors.dk, tensors.dv};
    if (tensors.forward.share.defined())
      all.push_back(tensors.forward.share);
    return all;
  }
  void forget() const {
    for (const at::Tensor &each : written())
      each.zero_();
  }
  // All of the memory, with what is between the rows.
  at::Tensor bits() const { return all().clone(); }
  // The memory as it is once the CPU has computed everything there; is what it was again.
  at::Tensor expectedBits() const {
    const at::Tensor before = bits();
    runtime::attendPlainly(runtime::tensorsOf(grad.forward, at::kCPU));
    runtime::attendPlainlyBackward(runtime::tensorsOf(grad, at::kCPU));
    at::Tensor expected = bits();
    all().copy_(before);
    return expected;
  }
  // What is written agrees with such a memory up to roundings, and nothing else has changed.
  void expectLike(const at::Tensor &expected) const {
    const double tolerance = grad.forward.dtype == STRETTO_BF16 ? 0.015 : 1e-5;
    const at::Tensor found = bits();
    const std::vector<at::Tensor> results = resultsIn(found), right = resultsIn(expected);
    for (size_t i = 0; i < right.size(); ++i) {
      const double error = results[i].sub(right[i]).norm().item().toDouble();
      EXPECT_LE(error, tolerance * right[i].norm().item().toDouble()) << "result " << i;
    }
    EXPECT_TRUE(restOf(found).equal(restOf(expected))) << "what lies beside the results";
    all().copy_(found);
  }

  // The gradient as programs ask for it: it is made of results, in which sinks have their share.
  runtime::AttentionGradOp gradWithoutSinks() const {
    runtime::AttentionGradOp op = grad;
    op.forward.has_sinks = 0;
    op.forward.sinks = op.forward.share = nullptr;
    return op;
  }

  runtime::AttentionGradOp grad;

private:
  at::Tensor all() const { return at::from_blob(memory, {bytes}, at::kByte); }
  std::vector<at::Tensor> resultsIn(const at::Tensor &memoryThen) const {
    all().copy_(memoryThen);
    std::vector<at::Tensor> results = written();
    for (at::Tensor &each : results)
      each = each.to(at::kFloat, /*non_blocking=*/false, /*copy=*/true);
    return results;
  }
  at::Tensor restOf(const at::Tensor &memoryThen) const {
    all().copy_(memoryThen);
    forget();
    return bits();
  }

  void *memory = nullptr;
  int64_t bytes = 0;
};

} // namespace stretto::test
