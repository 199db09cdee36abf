// A stream beside the one of the device, with the higher priority. Whatever is captured of both is one graph: `follow`
// is a fork, `join` the end of it.
#pragma once

#include "runtime/core/device.h"

#include <cuda_runtime_api.h>
#include <vector>

namespace stretto::runtime {

class CudaSideStream final : public SideStream {
public:
  // How an op is put on a stream; a WorkOp is called.
  using Put = std::function<void(const Op &op, cudaStream_t stream)>;
  // `main`: the stream of the device.
  CudaSideStream(cudaStream_t main, Put put);
  ~CudaSideStream() override;
  CudaSideStream(const CudaSideStream &) = delete;
  CudaSideStream &operator=(const CudaSideStream &) = delete;

  void follow() override { wait(side, main, atMain); }
  void submit(Op op) override { put(op, side); }
  // At once, while this stream is LibTorch's current one.
  void call(std::function<void()> work) override;
  int64_t mark() override;
  void await(int64_t mark) override;
  void join() override;

private:
  static cudaEvent_t makeEvent();
  static void wait(cudaStream_t waiting, cudaStream_t awaited, cudaEvent_t event);

  const cudaStream_t main;
  const Put put;
  cudaStream_t side = nullptr;
  cudaEvent_t atMain = nullptr, atSide = nullptr;
  std::vector<cudaEvent_t> marks; // of which some are in use
  size_t used = 0;
};

} // namespace stretto::runtime
