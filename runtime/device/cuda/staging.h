// Copies between host and device. Small ones pass through memory that the device reads and writes by itself, so that
// the host need not wait for them.
#pragma once

#include "runtime/core/op.h"

#include <cuda_runtime_api.h>

namespace stretto::runtime {

class Staging {
public:
  explicit Staging(cudaStream_t stream);
  ~Staging();
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;

  void run(const CopyInOp &op);
  // The destination is written by `finish` at the latest.
  void run(const CopyOutOp &op);
  // After the stream was waited for: hands out what came from the device; all memory is free again.
  void finish();

private:
  static constexpr int64_t capacity = 32 << 20;
  struct Arrival {
    void *destination;
    const char *source;
    int64_t bytes;
  };
  // Memory for a copy, or null where it is too large to be staged.
  char *take(int64_t bytes);

  cudaStream_t stream;
  char *memory = nullptr;
  int64_t used = 0;
  std::vector<Arrival> arrivals;
};

} // namespace stretto::runtime
