// A device that queues every op and runs it later, on a thread of its own, with the results of the CPU.
// It makes sure that programs and trainer never count on an op having run before they wait for it. Ops that are
// repeated are kept the first time, and come from there from then on: it makes sure that they are always the same.
#pragma once

#include "runtime/device/cpu/cpu_device.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace stretto::runtime {

class NullAsyncDevice : public Device {
public:
  explicit NullAsyncDevice(bool keepsRepeated);
  ~NullAsyncDevice() override;
  std::string_view name() const override { return "null-async"; }
  std::string describe() const override { return "null-async"; }
  void *allocate(int64_t bytes) override { return inner.allocate(bytes); }
  void release(void *data, int64_t bytes) override;
  void submit(Op op, const CallSite &at) override;
  void repeat(int key, const std::function<void()> &work) override;
  bool repeats() const override { return keepsRepeated; }
  void wait() override;
  Mark mark() override;
  void waitFor(Mark mark) override;
  void observe(OpObserver *observer) override { inner.observe(observer); }
  void setThreads(int count) override;
  int threads() const override { return threadCount; }
  int64_t libraryPeakBytes() const override { return inner.libraryPeakBytes(); }

private:
  void serve();
  // Lets ops run up to a mark.
  void finish(std::unique_lock<std::mutex> &lock, Mark mark);
  Mark end() const { return finished + queue.size(); }
  CpuDevice inner;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::pair<Op, CallSite>> queue;
  const bool keepsRepeated;
  std::map<int, std::vector<std::pair<Op, CallSite>>> kept; // by key
  std::vector<std::pair<Op, CallSite>> *keeping = nullptr;  // of the repeated work that is submitted now
  Mark finished = 0, awaited = 0; // ops: those that have run, and how many of all somebody waits for
  bool stopping = false;
  int threadCount = 1;
  bool threadsChanged = false;
  std::exception_ptr failure;
  std::thread server;
};

} // namespace stretto::runtime
