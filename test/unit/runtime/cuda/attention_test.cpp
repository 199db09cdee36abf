// Attention on the made-up GPU: which way is chosen, that memory is taken before work is captured, and that all work
// goes to the stream of the device.
#include "runtime/device/cuda/attention.h"

#include "runtime/core/error.h"
#include "runtime/device/cuda/graph.h"
#include "test/integration/runtime/fake/cudnn.h"
#include "test/unit/runtime/cuda/attention_memory.h"
#include "test/unit/runtime/cuda/host_library.h"

#include <gtest/gtest.h>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

class AttentionOnGpu : public testing::Test {
protected:
  AttentionOnGpu() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    setCudnnBehaviour(CudnnBehaviour::Right);
    setFlashIsRight(true);
    memory.forget();
  }
  ~AttentionOnGpu() override { cudaStreamDestroy(stream); }

  std::string chosen(CudnnBehaviour cudnn) {
    setCudnnBehaviour(cudnn);
    Attention attention(stream, /*deterministic=*/true);
    attention.reserve(needs(grad));
    return attention.describe();
  }
  static ReserveOp needs(const AttentionGradOp &grad) {
    ReserveOp needs;
    needs.attention = {grad.forward};
    needs.attentionGrad = {grad};
    return needs;
  }
  double sizeOfResult() const { return memory.written()[0].to(at::kFloat).norm().item().toDouble(); }

  cudaStream_t stream = nullptr;
  AttentionMemory memory{{2, 9, 4, 4, 8}};
  const AttentionGradOp &grad = memory.grad;
};

void expectBeginning(const std::string &text, const std::string &beginning) {
  EXPECT_EQ(text.substr(0, beginning.size()), beginning) << text;
}

} // namespace

TEST_F(AttentionOnGpu, TheFirstThatAgreesIsTaken) { EXPECT_EQ(chosen(CudnnBehaviour::Right), "cuDNN, backward cuDNN"); }

TEST_F(AttentionOnGpu, WhoDisagreesOrFailsIsOut) {
  expectBeginning(chosen(CudnnBehaviour::Unwritten), "flash, backward flash (out: cuDNN, backward cuDNN: o is off by ");
  expectBeginning(chosen(CudnnBehaviour::Wrong), "flash, backward flash (out: cuDNN, backward cuDNN: o is off by 0.");
  EXPECT_EQ(chosen(CudnnBehaviour::NoBackward),
            "cuDNN, backward flash (out: cuDNN, backward cuDNN: no engine for such heads)");
  EXPECT_EQ(chosen(CudnnBehaviour::Refused),
            "flash, backward flash (out: cuDNN, backward cuDNN: no engine for such heads; cuDNN, backward flash: no "
            "engine for such heads)");
  setFlashIsRight(false);
  expectBeginning(chosen(CudnnBehaviour::Right), "cuDNN, backward cuDNN (out: cuDNN, backward flash: dk is off by 0.");
  expectBeginning(chosen(CudnnBehaviour::Refused), "plain, backward plain (out: cuDNN, backward cuDNN: no engine");
}

TEST_F(AttentionOnGpu, ALaterOneMustBeMuchQuicker) { EXPECT_EQ(chosen(CudnnBehaviour::Slow), "flash, backward flash"); }

TEST_F(AttentionOnGpu, ItIsCapturedInMemoryThatWasTakenBefore) {
  const at::Tensor right = memory.expectedBits();
  for (const CudnnBehaviour cudnn : {CudnnBehaviour::Right, CudnnBehaviour::Refused}) {
    setCudnnBehaviour(cudnn);
    Attention attention(stream, true);
    attention.reserve(needs(grad));
    const int64_t held = attention.heldBytes();
    memory.forget();
    Graph graph;
    graph.capture(stream, [&] {
      attention.run(grad.forward);
      attention.run(grad);
    });
    EXPECT_EQ(sizeOfResult(), 0);
    for (int replay = 0; replay < 2; ++replay) {
      memory.forget();
      graph.launch(stream);
      ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      memory.expectLike(right);
    }
    EXPECT_EQ(attention.heldBytes(), held);
    EXPECT_GT(held, 0);
  }
}

TEST_F(AttentionOnGpu, WorkGoesToTheStreamOfTheDevice) {
  const at::Tensor right = memory.expectedBits();
  for (const CudnnBehaviour cudnn : {CudnnBehaviour::Right, CudnnBehaviour::Refused}) {
    setCudnnBehaviour(cudnn);
    Attention attention(stream, true);
    attention.reserve(needs(grad));
    memory.forget();
    const auto before = c10::cuda::getCurrentCUDAStream();
    EXPECT_NE(before.stream(), stream);
    attention.run(grad.forward);
    attention.run(grad);
    EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), before);
    cudaStreamSynchronize(before.stream());
    EXPECT_EQ(sizeOfResult(), 0);
    cudaStreamSynchronize(stream);
    memory.expectLike(right);
  }
}

TEST_F(AttentionOnGpu, FloatsAreAttendedToWithoutAllScores) {
  for (const AttentionSizes &sizes :
       {AttentionSizes{2, 33, 4, 4, 8, true, STRETTO_F32}, AttentionSizes{1, 9, 4, 2, 12, false, STRETTO_F32},
        AttentionSizes{2, 33, 4, 2, 8, true, STRETTO_F32, /*window=*/6},
        AttentionSizes{2, 33, 4, 2, 8, true, STRETTO_F32, 0, false, /*values=*/12}}) {
    const AttentionMemory floats(sizes);
    const at::Tensor right = floats.expectedBits();
    Attention attention(stream, /*deterministic=*/true);
    attention.reserve(needs(floats.grad));
    EXPECT_EQ(attention.describe(), "memory-efficient, backward memory-efficient");
    attention.run(floats.grad.forward);
    attention.run(floats.grad);
    cudaStreamSynchronize(stream);
    floats.expectLike(right);
  }
}

TEST_F(AttentionOnGpu, SinksGetTheirShareBehindAnyMethod) {
  for (const int32_t dtype : {STRETTO_BF16, STRETTO_F32}) {
    const AttentionMemory rows({2, 9, 4, 2, 8, true, dtype, 0, false, 0, /*sinks=*/true});
    const AttentionGradOp backward = rows.gradWithoutSinks();
    const at::Tensor right = rows.expectedBits();
    ReserveOp all;
    all.attention = {rows.grad.forward};
    all.attentionGrad = {backward};
    Attention attention(stream, /*deterministic=*/true);
    attention.reserve(all);
    EXPECT_EQ(attention.describe().find("plain"), std::string::npos) << attention.describe();
    attention.run(rows.grad.forward);
    attention.run(backward);
    cudaStreamSynchronize(stream);
    rows.expectLike(right);
  }
}

TEST_F(AttentionOnGpu, SizesThatWereNotPreparedAreRefused) {
  Attention attention(stream, true);
  attention.reserve(needs(grad));
  AttentionOp other = grad.forward;
  other.length = 8;
  EXPECT_THROW(attention.run(other), Error);
}

TEST_F(AttentionOnGpu, WhatIsNotAlignedGoesToNoLibrary) {
  const AttentionMemory other({2, 9, 4, 4, 8}, /*offset=*/2);
  const at::Tensor right = other.expectedBits();
  ReserveOp both = needs(grad);
  both.attention.push_back(other.grad.forward);
  both.attentionGrad.push_back(other.grad);
  Attention attention(stream, true);
  attention.reserve(both);
  EXPECT_EQ(attention.describe(), "cuDNN, backward cuDNN; plain, backward plain");
  attention.run(other.grad.forward);
  attention.run(other.grad);
  cudaStreamSynchronize(stream);
  other.expectLike(right);
}
