// Attention on the made-up GPU: which way is chosen, that memory is taken before work is captured, and that all work
// goes to the stream of the device.
#include "runtime/device/cuda/attention.h"

#include "runtime/core/error.h"
#include "runtime/device/cuda/attention_methods.h"
#include "runtime/device/cuda/graph.h"
#include "test/unit/runtime/cuda/host_library.h"

#include <ATen/ops/from_blob.h>
#include <gtest/gtest.h>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

class AttentionOnGpu : public testing::Test {
protected:
  AttentionOnGpu() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    setBehaviour(Behaviour::Right, Behaviour::Right);
    AttentionOp &forward = grad.forward;
    forward.dtype = STRETTO_BF16, forward.causal = 1, forward.scale = 0.5;
    forward.batch = 2, forward.length = 9, forward.heads = 4, forward.kv_heads = 4, forward.head_dim = 8;
    const int64_t stride = 96; // q, k and v side by side
    forward.q_stride = forward.k_stride = forward.v_stride = stride, forward.o_stride = 32;
    grad.dq_stride = grad.dk_stride = grad.dv_stride = stride, grad.do_stride = 32;
    fill();
  }
  ~AttentionOnGpu() override {
    cudaFree(memory);
    cudaStreamDestroy(stream);
  }

  // Memory of the device for the op, with numbers in what is read.
  void fill() {
    AttentionOp &forward = grad.forward;
    const int64_t rows = forward.batch * forward.length;
    cudaMalloc(&memory, 1 << 16);
    auto *at = static_cast<uint16_t *>(memory);
    const auto take = [&](int64_t columns) { return std::exchange(at, at + rows * columns); };
    uint16_t *packed = take(96), *dPacked = take(96);
    forward.q = packed, forward.k = packed + 32, forward.v = packed + 64, forward.o = take(32), grad.d_o = take(32);
    grad.d_q = dPacked, grad.d_k = dPacked + 32, grad.d_v = dPacked + 64;
    forward.lse = at;
    const at::TensorOptions options(at::kBFloat16);
    at::from_blob(packed, {rows * 96}, options).normal_();
    at::from_blob(grad.d_o, {rows * 32}, options).normal_();
  }

  std::string chosen(bool deterministic = true) {
    Attention attention(stream, deterministic);
    attention.reserve(needs());
    return attention.describe();
  }
  ReserveOp needs() const {
    ReserveOp needs;
    needs.attention = {grad.forward};
    needs.attentionGrad = {grad};
    return needs;
  }
  // Results as they are in memory now; and as the CPU has them.
  std::vector<at::Tensor> results() const {
    const AttentionGradTensors tensors = tensorsOf(grad, at::kCPU);
    std::vector<at::Tensor> all = {tensors.forward.o, tensors.dq, tensors.dk, tensors.dv};
    for (at::Tensor &each : all)
      each = each.to(at::kFloat);
    return all;
  }
  std::vector<at::Tensor> expected() const {
    attend(AttentionMethod::Plain, tensorsOf(grad.forward, at::kCPU));
    attendBackward(AttentionMethod::Plain, tensorsOf(grad, at::kCPU), true);
    std::vector<at::Tensor> all = results();
    forget();
    return all;
  }
  void forget() const {
    const AttentionGradTensors tensors = tensorsOf(grad, at::kCPU);
    for (const at::Tensor &each : {tensors.forward.o, tensors.forward.lse, tensors.dq, tensors.dk, tensors.dv})
      each.zero_();
  }
  void expectResults(const std::vector<at::Tensor> &right) const {
    const std::vector<at::Tensor> found = results();
    for (size_t i = 0; i < right.size(); ++i)
      EXPECT_TRUE(found[i].allclose(right[i], 0.02, 1e-3)) << i;
  }

  cudaStream_t stream = nullptr;
  void *memory = nullptr;
  AttentionGradOp grad;
};

} // namespace

TEST_F(AttentionOnGpu, TheFirstThatAgreesIsTaken) {
  EXPECT_EQ(chosen(), "cuDNN, backward flash");
  EXPECT_EQ(chosen(/*deterministic=*/false), "cuDNN, backward cuDNN");
}
TEST_F(AttentionOnGpu, WhoDisagreesOrFailsIsOut) {
  const auto expectBeginning = [](const std::string &text, const std::string &beginning) {
    EXPECT_EQ(text.substr(0, beginning.size()), beginning) << text;
  };
  setBehaviour(Behaviour::Right, Behaviour::Unwritten);
  expectBeginning(chosen(), "flash, backward flash (out: cuDNN, backward flash: o is off by ");
  setBehaviour(Behaviour::Right, Behaviour::Throws);
  EXPECT_EQ(chosen(), "flash, backward flash (out: cuDNN, backward flash: no kernel for such heads)");
  setBehaviour(Behaviour::Wrong, Behaviour::Right);
  expectBeginning(chosen(), "plain, backward plain (out: cuDNN, backward flash: dk is off by 0.");
  expectBeginning(chosen(/*deterministic=*/false),
                  "cuDNN, backward cuDNN (out: cuDNN, backward flash: dk is off by 0.");
}

TEST_F(AttentionOnGpu, ALaterOneMustBeMuchQuicker) {
  setBehaviour(Behaviour::Right, Behaviour::Slow);
  EXPECT_EQ(chosen(), "flash, backward flash");
}

TEST_F(AttentionOnGpu, ItIsCapturedInMemoryThatWasTakenBefore) {
  const std::vector<at::Tensor> right = expected();
  Attention attention(stream, true);
  attention.reserve(needs());
  const int64_t held = attention.heldBytes();
  Graph graph;
  graph.capture(stream, [&] {
    attention.run(grad.forward);
    attention.run(grad);
  });
  EXPECT_EQ(results()[0].norm().item().toDouble(), 0);
  for (int replay = 0; replay < 2; ++replay) {
    forget();
    graph.launch(stream);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    expectResults(right);
  }
  EXPECT_EQ(attention.heldBytes(), held);
  EXPECT_GT(held, 0);
}

TEST_F(AttentionOnGpu, WorkGoesToTheStreamOfTheDevice) {
  Attention attention(stream, true);
  attention.reserve(needs());
  const auto before = c10::cuda::getCurrentCUDAStream();
  EXPECT_NE(before.stream(), stream);
  const std::vector<at::Tensor> right = expected();
  attention.run(grad.forward);
  attention.run(grad);
  EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), before);
  cudaStreamSynchronize(before.stream());
  EXPECT_EQ(results()[0].norm().item().toDouble(), 0);
  cudaStreamSynchronize(stream);
  expectResults(right);
}

TEST_F(AttentionOnGpu, SizesThatWereNotPreparedAreRefused) {
  Attention attention(stream, true);
  attention.reserve(needs());
  AttentionOp other = grad.forward;
  other.length = 8;
  EXPECT_THROW(attention.run(other), Error);
}
