// The CPU: runs every op at once, on the threads of runtime/core/threads.h. Results do not depend on
// the number of threads: work is cut by shape, never by thread.
#pragma once

#include "runtime/core/device.h"
#include "runtime/device/cpu/only_buffers.h"

#include <memory>

namespace stretto::runtime {

class CpuDevice : public Device {
public:
  CpuDevice();
  std::string_view name() const override { return "cpu"; }
  std::string describe() const override;
  std::string matmuls() const override;
  void *allocate(int64_t bytes) override;
  void release(void *data, int64_t bytes) override;
  void submit(Op op, const CallSite &at) override;
  void wait() override {}
  std::unique_ptr<SideStream> sideStream() override;
  void observe(OpObserver *next) override { observer = next; }
  void setThreads(int count) override;
  int threads() const override;
  int64_t libraryPeakBytes() const override;

private:
  void execute(const LaunchOp &op);
  void execute(const ZeroOp &op);
  void execute(const CopyOp &op);
  void execute(const MatmulOp &op);
  void execute(const AttentionOp &op);
  void execute(const AttentionGradOp &op);
  void execute(const AttentionStepOp &op);
  void execute(const LibraryOp &op);
  void execute(const ReserveOp &op);
  char *scratch(int64_t bytesPerThread);
  float *wide(int64_t elements);

  OpObserver *observer = nullptr;
  Allocations allocations;
  // Memory kept between ops, as large as the hungriest of them needs.
  struct Kept {
    struct Free {
      void operator()(char *data) const;
    };
    std::unique_ptr<char, Free> data;
    int64_t bytes = 0;
    char *atLeast(int64_t needed, const char *what);
  };
  Kept scratchMemory; // of all threads, for kernels
  Kept wideMemory;    // for operands that are widened
};

} // namespace stretto::runtime
