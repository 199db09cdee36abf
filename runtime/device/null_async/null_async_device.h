// A device that queues every op and runs it later, on a thread of its own, with the results of the CPU.
// It makes sure that programs and trainer never count on an op having run before they wait for it.
#pragma once

#include "runtime/device/cpu/cpu_device.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace stretto {

class NullAsyncDevice : public Device {
public:
  NullAsyncDevice();
  ~NullAsyncDevice() override;
  std::string_view name() const override { return "null-async"; }
  void *allocate(int64_t bytes) override { return inner.allocate(bytes); }
  void release(void *data, int64_t bytes) override;
  void submit(Op op, const CallSite &at) override;
  void wait() override;
  void observe(OpObserver *observer) override { inner.observe(observer); }
  void setThreads(int count) override;
  int threads() const override { return threadCount; }
  int64_t libraryPeakBytes() const override { return inner.libraryPeakBytes(); }

private:
  void serve();
  CpuDevice inner;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::pair<Op, CallSite>> queue;
  bool draining = false, running = false, stopping = false;
  int threadCount = 1;
  bool threadsChanged = false;
  std::exception_ptr failure;
  std::thread server;
};

} // namespace stretto
