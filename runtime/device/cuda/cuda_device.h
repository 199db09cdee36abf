// An NVIDIA GPU: generated kernels from the program's images, matmuls by cuBLASLt, attention by cuDNN and LibTorch,
// all in order on one stream.
#pragma once

#include "runtime/core/device.h"
#include "runtime/device/cuda/attention.h"
#include "runtime/device/cuda/graph.h"
#include "runtime/device/cuda/kernels.h"
#include "runtime/device/cuda/library.h"
#include "runtime/device/cuda/matmuls.h"
#include "runtime/device/cuda/observing.h"
#include "runtime/device/cuda/side_stream.h"
#include "runtime/device/cuda/staging.h"

#include <deque>
#include <map>

namespace stretto::runtime {

class CudaDevice : public Device {
public:
  // Throws Error without a driver, a GPU at the place that the options name, or device code for it.
  CudaDevice(const stretto_program &program, const DeviceOptions &options);
  ~CudaDevice() override;

  std::string_view name() const override { return "cuda"; }
  std::string describe() const override;
  void *allocate(int64_t bytes) override;
  void release(void *data, int64_t bytes) override;
  void submit(Op op, const CallSite &at) override;
  // The first time, work runs as it comes, as libraries load what they need on first use; the second time it is
  // captured. Where that fails, everything runs as it comes from then on, see DeviceOptions.
  void repeat(int key, const std::function<void()> &work) override;
  bool repeats() const override { return options.repeat && !observing->active(); }
  std::unique_ptr<SideStream> sideStream() override;
  int number() const { return deviceNumber; } // among the visible GPUs
  void wait() override;
  Mark mark() override { return staging->mark(); }
  void waitFor(Mark mark) override;
  void observe(OpObserver *observer) override { observing->observe(observer); }
  const void *hostView(const void *data, int64_t bytes, std::vector<std::byte> &storage) override;
  void setThreads(int count) override;
  int threads() const override { return 0; }
  int64_t peakSize() const override { return 8192; }
  int64_t availableBytes() const override;
  int64_t libraryPeakBytes() const override;

private:
  void executeBeside(const Op &op, cudaStream_t side);
  void execute(const LaunchOp &op) { kernels->launch(op, stream); }
  void execute(const MatmulOp &op) { matmuls->run(op); }
  void execute(const AttentionOp &op);
  void execute(const AttentionGradOp &op);
  void execute(const EmbedOp &op);
  void execute(const EmbedGradOp &op);
  void execute(const WriteCacheOp &op);
  void execute(const ReadCacheOp &op);
  void execute(const LastRowOp &op);
  void execute(const AttentionStepOp &op);
  void execute(const LibraryOp &op) { library->run(op); }
  void execute(const ZeroOp &op);
  void execute(const CopyOp &op);
  void execute(const CopyInOp &op);
  void execute(const CopyOutOp &op);
  void execute(const ReserveOp &op);
  void execute(const WorkOp &op);
  // Waits; throws Error with what was submitted last where the device is lost.
  void failIfLost();

  // Work under a key of `repeat`: how often it was asked for, and the names of its last ops.
  struct Repeated {
    bool warm = false;
    Graph graph;
    std::deque<std::string> last;
  };
  void capture(Repeated &repeated, const std::function<void()> &work);
  // Whether it is captured; ends repeating where it cannot be.
  bool captureOrGoOn(Repeated &repeated, const std::function<void()> &work);

  DeviceOptions options;
  int deviceNumber;
  std::string deviceName;
  Capability capability;
  cudaStream_t stream = nullptr;
  std::unique_ptr<Kernels> kernels;
  std::unique_ptr<Matmuls> matmuls;
  std::unique_ptr<Attention> attention; // of programs that have some
  std::unique_ptr<Library> library;
  std::unique_ptr<Staging> staging;
  std::unique_ptr<Observing> observing;
  std::map<int, Repeated> repeatedWork;
  bool capturing = false, lost = false;
  std::deque<std::string> last; // of what was submitted, newest last
};

} // namespace stretto::runtime
