// Bulk tensor copies out of shared memory, which threads commit and wait for.
#include "runtime/emulator/box_stores.h"

#include "runtime/emulator/accesses.h"
#include "runtime/emulator/box_copies.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace stretto::emulator {

// A read of shared memory in the background, and writes of the tensor.
void BoxStores::check(Thread &thread, const BoxStore &store, const stretto_emulated_access &access) {
  stretto_emulated_access read = access;
  read.bytes = store.map->boxBytes();
  checkSharedPlace(thread, AccessKind::read, store.from, read);
  // The thread's own stores come before, but the asynchronous proxy need not see them.
  const uint32_t own = std::exchange(thread.clock.of(thread.thread), ~0u);
  recordShared(thread, block, block.inBackground(firstStores + thread.stores.number, thread.clock), AccessKind::read,
               store.from, read);
  thread.clock.of(thread.thread) = own;
  const stretto_emulated_access write = {access.place, 0, 1, static_cast<int32_t>(store.map->shape.buffer), 0};
  store.map->forEachRow(
      store.to, [&](const char *row, uint32_t bytes) { checkGlobal(thread, AccessKind::write, row, bytes, write); });
}

void BoxStores::store(Thread &thread, const stretto_emulated_wait &wait, const BoxStore &store,
                      const stretto_emulated_access &access) {
  if (thread.stores.number == mostStoring) {
    if (threads.size() == mostStoring)
      block.fail(thread, fmt::format("{}: at most {} threads of a block may make such copies", block.describe(wait),
                                     threads.size()));
    thread.stores.number = threads.size();
    threads.push_back(&thread);
  }
  if (block.checks != STRETTO_EMULATOR_CHECKS_NONE)
    check(thread, store, access);
  thread.stores.stores.push_back(store);
  thread.stores.stores.back().group = thread.stores.commits.size();
  block.yield(thread);
}

void BoxStores::commit(Thread &thread) {
  if (thread.stores.number != mostStoring)
    thread.stores.commits.push_back(block.nextStamp());
}

void BoxStores::await(Thread &thread, size_t groups) {
  auto &[number, commits, stores] = thread.stores;
  if (commits.size() <= groups)
    return;
  const size_t done = commits.size() - groups;
  const auto end =
      std::find_if(stores.begin(), stores.end(), [&](const BoxStore &store) { return store.group >= done; });
  std::for_each(stores.begin(), end,
                [&](const BoxStore &store) { store.map->store(store.to, block.sharedWindow, store.from); });
  stores.erase(stores.begin(), end);
  thread.clock.of(firstStores + number) = commits[done - 1];
}

std::string BoxStores::unfinished() const {
  for (const Thread *thread : threads)
    if (!thread->stores.stores.empty())
      return fmt::format(
          "all threads have ended, but thread {} has not waited for its bulk copies out of shared memory",
          thread->thread);
  return "";
}

} // namespace stretto::emulator

extern "C" {
using namespace stretto::emulator;

[[gnu::visibility("default")]] void stretto_emulator_store_box(stretto_emulated_thread *self,
                                                               const stretto_emulated_wait *wait, const void *from,
                                                               const void *map, const int32_t *coordinates,
                                                               uint32_t count, const stretto_emulated_access *access) {
  Thread &thread = threadOf(self);
  BoxStore store{static_cast<const char *>(from), &findMap(thread, *wait, map, count), {}, 0};
  std::copy(coordinates, coordinates + count, store.to.begin());
  thread.owner->boxStores.store(thread, *wait, store, *access);
}

[[gnu::visibility("default")]] void stretto_emulator_commit_stores(stretto_emulated_thread *self) {
  Thread &thread = threadOf(self);
  thread.owner->boxStores.commit(thread);
}

[[gnu::visibility("default")]] void stretto_emulator_await_stores(stretto_emulated_thread *self, uint32_t groups) {
  Thread &thread = threadOf(self);
  thread.owner->boxStores.await(thread, groups);
}
}
