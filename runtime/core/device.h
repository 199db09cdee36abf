// The device a program runs on: memory, and a stream of ops run in order, at once or later.
#pragma once

#include "runtime/core/op.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace stretto {

// Sees every op just before and just after it runs, on the thread that runs it.
class OpObserver {
public:
  virtual ~OpObserver() = default;
  virtual void before(const Op &op) = 0;
  virtual void after(const Op &op, const CallSite &at) = 0;
};

class Device {
public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;

  // Memory aligned to 64 bytes; throws Error when there is none.
  virtual void *allocate(int64_t bytes) = 0;
  virtual void release(void *data, int64_t bytes) = 0;

  // Puts an op on the stream. A failure is thrown here or by the next wait.
  virtual void submit(Op op, const CallSite &at = {}) = 0;

  // Returns when everything submitted has run; throws the first failure since the last wait.
  virtual void wait() = 0;

  // Called around every op; null: none. Set only while the stream is empty.
  virtual void observe(OpObserver *observer) = 0;

  // What was computed so far, where the host can read it: the data itself, or a copy of it in `storage`. For observers
  // of an op that has run, and where the stream is empty.
  virtual const void *hostView(const void *data, int64_t, std::vector<std::byte> &) { return data; }

  // Threads used by an op. Results do not depend on it.
  virtual void setThreads(int count) = 0;
  virtual int threads() const = 0;

  // The most bytes held at once beside what `allocate` gave, since the latest ReserveOp: by LibTorch's allocator, by
  // MKL for its products, and as scratch of kernels. Ask only while the stream is empty.
  virtual int64_t libraryPeakBytes() const = 0;
};

// "cpu" or "null-async"; throws Error for another name.
std::unique_ptr<Device> makeDevice(const std::string &name);

} // namespace stretto
