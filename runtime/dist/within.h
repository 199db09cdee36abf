// Work that may never end, as it waits for a process that stands still.
#pragma once

#include <chrono>
#include <future>
#include <thread>
#include <utility>

namespace stretto::runtime {

// What `work` returns within the time. After that, throws `late` and leaves the work to itself: it must own what it
// uses.
template <typename Late, typename Work> auto within(std::chrono::milliseconds time, const Late &late, Work work) {
  std::packaged_task<decltype(work())()> task(std::move(work));
  auto result = task.get_future();
  std::thread(std::move(task)).detach();
  if (result.wait_for(time) != std::future_status::ready)
    throw late;
  return result.get();
}

} // namespace stretto::runtime
