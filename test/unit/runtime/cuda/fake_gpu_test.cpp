// Graphs and matmuls on the made-up GPU, and that it refuses what a real one refuses.
#include "runtime/core/error.h"
#include "runtime/device/cuda/graph.h"
#include "runtime/device/cuda/matmuls.h"
#include "runtime/device/cuda/tensor_maps.h"
#include "test/unit/runtime/ops.h"

#include <cstring>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

class FakeGpu : public testing::Test {
protected:
  FakeGpu() { cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); }
  ~FakeGpu() override {
    cudaStreamDestroy(stream); // what is on it still runs
    for (void *data : taken)
      cudaFree(data);
  }

  char *take(size_t bytes) {
    taken.emplace_back();
    EXPECT_EQ(cudaMalloc(&taken.back(), bytes), cudaSuccess);
    std::memset(taken.back(), 0, bytes);
    return static_cast<char *>(taken.back());
  }

  // A matmul of zeros whose operands lie `offset` bytes behind the start of their memory.
  MatmulOp matmul(int32_t dtype, int32_t dtypeC, int64_t offset = 0) {
    MatmulOp op;
    op.dtype = dtype, op.dtype_c = dtypeC;
    op.m = 4, op.n = 6, op.k = 5, op.lda = 5, op.ldb = 6, op.ldc = 6;
    op.a = take(1024) + offset, op.b = take(1024) + offset, op.c = take(1024) + offset;
    return op;
  }

  void capture(const std::function<void()> &work) { Graph().capture(stream, work); }

  cudaStream_t stream = nullptr;
  std::vector<void *> taken;
};

} // namespace

TEST_F(FakeGpu, WhatIsCapturedRunsWhenItIsReplayed) {
  char *data = take(4);
  Graph graph;
  graph.capture(stream, [&] { cudaMemsetAsync(data, 7, 4, stream); });
  cudaStreamSynchronize(stream);
  EXPECT_EQ(data[3], 0);
  graph.launch(stream);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(data[3], 7);
}

TEST_F(FakeGpu, ACaptureIsSpoiledByWhatMayWait) {
  void *data = nullptr;
  char *device = take(4);
  EXPECT_THROW(capture([&] { EXPECT_NE(cudaMalloc(&data, 4), cudaSuccess); }), Error);
  EXPECT_THROW(capture([&] { EXPECT_NE(cudaFree(device), cudaSuccess); }), Error);
  EXPECT_THROW(capture([&] { EXPECT_NE(cudaStreamSynchronize(stream), cudaSuccess); }), Error);
  EXPECT_THROW(
      capture([&] { EXPECT_NE(cudaMemcpyAsync(device, &data, 4, cudaMemcpyHostToDevice, stream), cudaSuccess); }),
      Error);
  EXPECT_NO_THROW(capture([&] { cudaMemsetAsync(device, 0, 4, stream); }));
}

TEST_F(FakeGpu, MemoryThatIsNotThereIsRefused) {
  char *data = take(64);
  EXPECT_EQ(cudaMemsetAsync(data, 0, 64, stream), cudaSuccess);
  EXPECT_NE(cudaMemsetAsync(data + 1, 0, 64, stream), cudaSuccess);
  EXPECT_NE(cudaMemcpyAsync(data + 32, data, 33, cudaMemcpyDeviceToDevice, stream), cudaSuccess);
  char host[64];
  EXPECT_NE(cudaMemcpyAsync(host, host, 64, cudaMemcpyDeviceToHost, stream), cudaSuccess);
}

TEST_F(FakeGpu, MatmulsHaveTypesThatGoTogether) {
  Matmuls matmuls(stream, false), rounded(stream, true);
  for (const auto &[dtype, dtypeC] : {std::pair{STRETTO_F32, STRETTO_F32},
                                      {STRETTO_BF16, STRETTO_BF16},
                                      {STRETTO_BF16, STRETTO_F32},
                                      {STRETTO_F64, STRETTO_F64}}) {
    EXPECT_NO_THROW(matmuls.run(matmul(dtype, dtypeC)));
    EXPECT_NO_THROW(rounded.run(matmul(dtype, dtypeC)));
  }
  EXPECT_THROW(matmuls.run(matmul(STRETTO_F32, STRETTO_BF16)), Error);
  EXPECT_THROW(matmuls.run(matmul(STRETTO_F64, STRETTO_F32)), Error);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

TEST_F(FakeGpu, MatmulsGoWithHowTheirMatricesLie) {
  Matmuls matmuls(stream, false);
  for (const int64_t offset : {0, 2, 4, 8, 16, 0})
    matmuls.run(matmul(STRETTO_BF16, STRETTO_BF16, offset));
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

TEST_F(FakeGpu, AlgorithmsAreNotLookedForInACapture) {
  Matmuls matmuls(stream, false);
  const MatmulOp known = matmul(STRETTO_F32, STRETTO_F32);
  MatmulOp strange = known;
  strange.accumulate = true;
  matmuls.reserve({known});
  EXPECT_NO_THROW(capture([&] { matmuls.run(known); }));
  EXPECT_THROW(capture([&] { matmuls.run(strange); }), Error);
}

TEST_F(FakeGpu, TensorMapsAreOfWhatBulkCopiesCanRead) {
  const stretto_tensor_map map = {1, STRETTO_BF16, 2, {64, 8}, {2, 128}, {64, 8}, 128};
  stretto_kernel kernel{};
  kernel.name = "copy", kernel.maps = &map, kernel.map_count = 1;
  char *data = take(1032);
  EXPECT_EQ(makeTensorMaps(kernel, {nullptr, data}).size(), 1);
  try {
    makeTensorMaps(kernel, {nullptr, data + 8});
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("cannot make a tensor map of the kernel 'copy': buffer 1 at "),
              std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("sizes [64, 8], boxes [64, 8]: error 1 of the driver"), std::string::npos)
        << error.what();
  }
}
