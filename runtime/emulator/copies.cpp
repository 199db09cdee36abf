// Asynchronous copies into shared memory. They land at the last moment that is allowed: when their thread waits for
// them. Until then their destination holds NaN, in whatever type.
#include "runtime/emulator/accesses.h"

#include <algorithm>
#include <cstring>

namespace stretto::emulator {

static void issue(Thread &thread, const AsyncCopy &copy, const stretto_emulated_access &write,
                  const stretto_emulated_access &read) {
  if (thread.owner->checks != STRETTO_EMULATOR_CHECKS_NONE) {
    if (copy.sourceBytes)
      checkGlobal(thread, AccessKind::read, copy.from, copy.sourceBytes, read);
    checkSharedPlace(thread, AccessKind::write, copy.to, write);
    recordPending(thread, copy.to, write);
  }
  std::memset(copy.to, 0xff, copy.bytes);
  thread.copies.push_back(copy);
}

static void land(Thread &thread, const AsyncCopy &copy) {
  std::memcpy(copy.to, copy.from, copy.sourceBytes);
  std::memset(copy.to + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
  if (thread.owner->checks != STRETTO_EMULATOR_CHECKS_NONE)
    recordLanded(thread, copy.to, copy.bytes);
}

// All of the thread's commits but the last `groups`.
static void await(Thread &thread, uint32_t groups) {
  auto isDone = [&](const AsyncCopy &copy) { return copy.group + groups < thread.commits; };
  auto end = std::find_if_not(thread.copies.begin(), thread.copies.end(), isDone);
  std::for_each(thread.copies.begin(), end, [&](const AsyncCopy &copy) { land(thread, copy); });
  thread.copies.erase(thread.copies.begin(), end);
}

} // namespace stretto::emulator

extern "C" {
using namespace stretto::emulator;

[[gnu::visibility("default")]] void stretto_emulator_copy_async(stretto_emulated_thread *self, void *to,
                                                                const void *from, uint32_t source_bytes,
                                                                const stretto_emulated_access *write,
                                                                const stretto_emulated_access *read) {
  Thread &thread = threadOf(self);
  const uint32_t bytes = write->bytes;
  issue(
      thread,
      {static_cast<char *>(to), static_cast<const char *>(from), bytes, std::min(source_bytes, bytes), thread.commits},
      *write, *read);
}

[[gnu::visibility("default")]] void stretto_emulator_commit_copies(stretto_emulated_thread *self) {
  ++threadOf(self).commits;
}

[[gnu::visibility("default")]] void stretto_emulator_await_copies(stretto_emulated_thread *self, uint32_t groups) {
  await(threadOf(self), groups);
}
}
