// Attention by cuDNN's graphs on the made-up GPU: what a graph is told of the memory of an op, plans, workspaces.
#include "runtime/device/cuda/cudnn_attention.h"

#include "test/integration/runtime/fake/cudnn.h"
#include "test/unit/runtime/cuda/attention_memory.h"

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

class CudnnGraphs : public testing::Test {
protected:
  CudnnGraphs() {
    setCudnnBehaviour(CudnnBehaviour::Right);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  }
  ~CudnnGraphs() override { cudaStreamDestroy(stream); }

  template <typename Op> void run(CudnnAttention &attention, const Op &op) const {
    void *workspace = nullptr;
    cudaMalloc(&workspace, attention.prepare(op));
    attention.run(op, workspace);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    cudaFree(workspace);
  }
  void expectRight(CudnnAttention &attention, const AttentionMemory &memory) const {
    const at::Tensor expected = memory.expectedBits();
    run(attention, memory.grad.forward);
    run(attention, memory.grad);
    memory.expectLike(expected);
  }
  // Whether the gradients have the same bits each time.
  bool repeats(bool deterministic) const {
    const AttentionMemory memory({2, 16, 2, 2, 8});
    CudnnAttention attention(stream, deterministic);
    run(attention, memory.grad.forward);
    run(attention, memory.grad);
    const at::Tensor first = memory.bits();
    run(attention, memory.grad);
    return memory.bits().equal(first);
  }

  cudaStream_t stream = nullptr;
};

constexpr AttentionSizes small = {4, 16, 2, 2, 8};
constexpr int64_t workspaceOfSequence = 2 * 16 * 16 * 2 + 2 * 16 * 4; // bytes: scores, and a sum for each token

} // namespace

TEST_F(CudnnGraphs, ComputeWhereTheOpLies) {
  for (const bool deterministic : {true, false}) {
    CudnnAttention attention(stream, deterministic);
    for (const AttentionSizes &sizes : {AttentionSizes{2, 9, 4, 4, 8}, AttentionSizes{3, 16, 6, 2, 16},
                                        AttentionSizes{1, 24, 4, 1, 8, /*causal=*/false},
                                        AttentionSizes{2, 24, 2, 2, 8, true, STRETTO_BF16, /*window=*/5},
                                        AttentionSizes{2, 9, 4, 2, 8, true, STRETTO_BF16, /*window=*/2},
                                        AttentionSizes{2, 24, 4, 2, 8, true, STRETTO_BF16, 0, false, /*values=*/24},
                                        AttentionSizes{2, 16, 4, 2, 8, true, STRETTO_BF16, 0, /*alibi=*/true},
                                        AttentionSizes{1, 16, 8, 8, 8, true, STRETTO_BF16, 5, /*alibi=*/true}})
      expectRight(attention, AttentionMemory(sizes));
  }
}

TEST_F(CudnnGraphs, HaveOnePlanForAllThatIsEqual) {
  CudnnAttention attention(stream, true);
  AttentionMemory first(small), second(small), other(small);
  const int before = cudnnPlans();
  expectRight(attention, first);
  EXPECT_EQ(cudnnPlans(), before + 2);
  expectRight(attention, second);
  EXPECT_EQ(cudnnPlans(), before + 2);
  other.grad.forward.scale = 0.25;
  expectRight(attention, other);
  EXPECT_EQ(cudnnPlans(), before + 4);
  AttentionSizes narrow = small;
  narrow.window = 3;
  expectRight(attention, AttentionMemory(narrow));
  EXPECT_EQ(cudnnPlans(), before + 6);
}

TEST_F(CudnnGraphs, GoThroughSequencesInPartsWhereTheirWorkspaceWouldBeTooLarge) {
  for (const int64_t sequences : {4, 3, 2, 1}) {
    CudnnAttention attention(stream, true, sequences * workspaceOfSequence);
    const AttentionMemory memory(small);
    EXPECT_EQ(attention.prepare(memory.grad.forward), 0);
    EXPECT_EQ(attention.prepare(memory.grad) / workspaceOfSequence, sequences == 3 ? 2 : sequences);
    expectRight(attention, memory);
  }
}

TEST_F(CudnnGraphs, GoThroughHeadsWhereTheWorkspaceOfASequenceWouldBeTooLarge) {
  const AttentionMemory alone(small), shared({2, 16, 4, 2, 8});
  CudnnAttention ofAlone(stream, true, workspaceOfSequence / 2), ofShared(stream, true, 2 * workspaceOfSequence - 1);
  EXPECT_EQ(ofAlone.prepare(alone.grad), workspaceOfSequence / 2);
  expectRight(ofAlone, alone);
  EXPECT_EQ(ofShared.prepare(shared.grad), workspaceOfSequence);
  expectRight(ofShared, shared);
}

TEST_F(CudnnGraphs, AreRefusedWhereTheWorkspaceOfAHeadIsTooLarge) {
  // Slopes of alibi are those of all heads, so that these stay together.
  AttentionSizes together = small;
  together.alibi = true;
  for (const auto &[sizes, most, why] :
       {std::tuple(small, workspaceOfSequence / 2 - 1,
                   "its workspace must have at most 575 bytes, but has 576 for one head of keys"),
        std::tuple(together, workspaceOfSequence - 1,
                   "its workspace must have at most 1151 bytes, but has 1156 for one sequence")}) {
    CudnnAttention attention(stream, true, most);
    const AttentionMemory memory(sizes);
    try {
      attention.prepare(memory.grad);
      FAIL();
    } catch (const std::runtime_error &error) {
      EXPECT_STREQ(error.what(), why);
    }
  }
}

TEST_F(CudnnGraphs, SayWhyThereIsNone) {
  setCudnnBehaviour(CudnnBehaviour::Refused);
  CudnnAttention attention(stream, true);
  const AttentionMemory memory(small);
  EXPECT_THROW(
      {
        try {
          attention.prepare(memory.grad.forward);
        } catch (const std::runtime_error &error) {
          EXPECT_STREQ(error.what(), "no engine for such heads");
          throw;
        }
      },
      std::runtime_error);
}

TEST_F(CudnnGraphs, GiveTheSameBitsWhereThatIsAsked) {
  EXPECT_TRUE(repeats(/*deterministic=*/true));
  EXPECT_FALSE(repeats(/*deterministic=*/false));
}
