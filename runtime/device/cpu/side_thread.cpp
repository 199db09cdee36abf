// A second stream of the CPU: a thread.
#include "runtime/device/cpu/side_thread.h"

#include "runtime/core/error.h"
#include "runtime/core/op_table.h"

#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace stretto::runtime {

SideThread::SideThread() : thread([this] { serve(); }) {}

SideThread::~SideThread() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  thread.join();
}

static void copy(const CopyOp &op) {
  for (int64_t row = 0; row < op.rows; ++row)
    std::memcpy(static_cast<char *>(op.to) + row * op.to_stride,
                static_cast<const char *>(op.from) + row * op.from_stride, op.row_bytes);
}

void SideThread::launch(const LaunchOp &op) {
  constexpr size_t alignment = 64;
  scratch.resize(op.kernel->scratch_bytes + alignment);
  void *data = scratch.data();
  size_t room = scratch.size();
  op.kernel->function(op.buffers.data(), op.begin, op.end, std::align(alignment, op.kernel->scratch_bytes, data, room));
}

void SideThread::submit(Op op) {
  if (const auto *launched = std::get_if<LaunchOp>(&op))
    return call([this, launched = *launched] { launch(launched); });
  if (const auto *copied = std::get_if<CopyOp>(&op))
    return call([copied = *copied] { copy(copied); });
  if (const auto *cleared = std::get_if<ZeroOp>(&op))
    return call([cleared = *cleared] { std::memset(cleared.data, 0, cleared.bytes); });
  throw Error(
      fmt::format("a side stream must be given launches, copies and clearings, but got {}", describeOp(op, {})));
}

void SideThread::call(std::function<void()> work) {
  {
    std::lock_guard lock(mutex);
    queue.push_back(std::move(work));
    ++taken;
  }
  changed.notify_all();
}

int64_t SideThread::mark() {
  std::lock_guard lock(mutex);
  return taken;
}

void SideThread::join() { await(mark()); }

void SideThread::await(int64_t mark) {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return done >= mark; });
  if (failure)
    std::rethrow_exception(std::exchange(failure, nullptr));
}

void SideThread::serve() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return stopping || !queue.empty(); });
    if (stopping)
      return;
    const std::function<void()> work = std::move(queue.front());
    queue.pop_front();
    const bool skips = failure != nullptr;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      if (!skips)
        work();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    ++done;
    if (thrown)
      failure = thrown;
    changed.notify_all();
  }
}

} // namespace stretto::runtime
