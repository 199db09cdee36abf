// A device that queues every op and runs it later, on a thread of its own, with the results of the CPU.
#include "runtime/device/null_async/null_async_device.h"

#include <utility>

namespace stretto::runtime {

NullAsyncDevice::NullAsyncDevice(bool keepsRepeated)
    : keepsRepeated(keepsRepeated), threadCount(inner.threads()), server([this] { serve(); }) {}

NullAsyncDevice::~NullAsyncDevice() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  server.join();
}

void NullAsyncDevice::release(void *data, int64_t bytes) {
  std::unique_lock lock(mutex);
  finish(lock, end());
  inner.release(data, bytes);
}

void NullAsyncDevice::setThreads(int count) {
  std::lock_guard lock(mutex);
  threadCount = count;
  threadsChanged = true;
}

void NullAsyncDevice::submit(Op op, const CallSite &at) {
  std::lock_guard lock(mutex);
  if (keeping)
    keeping->emplace_back(op, at);
  queue.emplace_back(std::move(op), at);
}

void NullAsyncDevice::repeat(int key, const std::function<void()> &work) {
  if (!keepsRepeated)
    return work();
  const auto [found, isNew] = kept.try_emplace(key);
  if (!isNew) {
    std::lock_guard lock(mutex);
    queue.insert(queue.end(), found->second.begin(), found->second.end());
    return;
  }
  keeping = &found->second;
  try {
    work();
  } catch (...) {
    keeping = nullptr;
    kept.erase(key);
    throw;
  }
  keeping = nullptr;
}

void NullAsyncDevice::finish(std::unique_lock<std::mutex> &lock, Mark mark) {
  awaited = mark;
  changed.notify_all();
  changed.wait(lock, [&] { return finished >= mark; });
}

void NullAsyncDevice::wait() { waitFor(mark()); }

Device::Mark NullAsyncDevice::mark() {
  std::lock_guard lock(mutex);
  return end();
}

void NullAsyncDevice::waitFor(Mark mark) {
  std::unique_lock lock(mutex);
  finish(lock, mark);
  if (failure)
    std::rethrow_exception(std::exchange(failure, nullptr));
}

// Runs nothing that nobody waits for: the latest moment the interface allows. LibTorch keeps the number of threads for
// each calling thread, so it is set here.
void NullAsyncDevice::serve() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return stopping || finished < awaited; });
    if (stopping)
      return;
    auto [op, at] = std::move(queue.front());
    if (!failure) {
      const bool setThreads = std::exchange(threadsChanged, false);
      const int count = threadCount;
      lock.unlock();
      std::exception_ptr thrown;
      try {
        if (setThreads)
          inner.setThreads(count);
        inner.submit(std::move(op), at);
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      failure = thrown;
    }
    queue.pop_front();
    if (++finished >= awaited)
      changed.notify_all();
  }
}

} // namespace stretto::runtime
