// Copies between host and device. Small ones pass through memory that the device reads and writes by itself, so that
// the host need not wait for them.
#pragma once

#include "runtime/core/device.h"

#include <cuda_runtime_api.h>
#include <deque>
#include <vector>

namespace stretto::runtime {

class Staging {
public:
  explicit Staging(cudaStream_t stream);
  ~Staging();
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;

  void run(const CopyInOp &op);
  // The destination is written by `waitFor` a mark behind it or by `finish`, at the latest.
  void run(const CopyOutOp &op);

  // See Device.
  Device::Mark mark();
  void waitFor(Device::Mark mark);
  // After the stream was waited for: hands out what came from the device; all memory is free again.
  void finish();

private:
  static constexpr int64_t capacity = 32 << 20;
  struct Arrival {
    void *destination;
    const char *source;
    int64_t bytes, end; // end: in the memory
  };
  struct Moment {
    Device::Mark mark;
    cudaEvent_t event;
    int64_t end; // of the memory that was taken by then
  };
  // Memory for a copy, or null where it is too large to be staged.
  char *take(int64_t bytes);
  // Hands out what was copied to memory up to `end`, and takes it back.
  void handOut(int64_t end);
  void forget(const Moment &moment) { spareEvents.push_back(moment.event); }

  cudaStream_t stream;
  // Memory is taken in a circle; places in it count on from round to round.
  char *memory = nullptr;
  int64_t taken = 0, freed = 0;
  std::deque<Arrival> arrivals;
  std::deque<Moment> moments; // that nobody has waited for
  std::vector<cudaEvent_t> spareEvents;
  Device::Mark lastMark = 0;
};

} // namespace stretto::runtime
