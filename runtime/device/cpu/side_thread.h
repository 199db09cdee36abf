// A second stream of the CPU: a thread that runs what it is given, one after the other. The threads of the device go on
// with their own work meanwhile.
#pragma once

#include "runtime/core/side_stream.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace stretto::runtime {

class SideThread final : public SideStream {
public:
  SideThread();
  // What is still waiting is not run.
  ~SideThread() override;

  // The CPU runs ops as they are submitted, so nothing is left to wait for.
  void follow() override {}
  void submit(Op op) override;
  void call(std::function<void()> work) override;
  int64_t mark() override;
  void await(int64_t mark) override;
  void join() override;

private:
  void serve();
  void launch(const LaunchOp &op);

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> queue;
  int64_t taken = 0, done = 0; // works in all
  bool stopping = false;
  std::exception_ptr failure; // after it, nothing runs until it was thrown
  std::vector<std::byte> scratch;
  std::thread thread;
};

} // namespace stretto::runtime
