// Barrier objects in shared memory, at which some threads arrive and others wait; see "mbarrier" in the PTX ISA.
#include "runtime/emulator/accesses.h"

#include <fmt/format.h>
#include <utility>

namespace stretto::emulator {
namespace {

constexpr uint32_t manyArrivals = 1 << 20; // also bytes that a phase may lack
constexpr uint32_t barrierBytes = 8;

std::string nameOf(const Mbarrier &barrier) { return fmt::format("the mbarrier at byte {}", barrier.offset); }

} // namespace

void Mbarriers::init(Thread &thread, const stretto_emulated_wait &wait, const void *address, uint32_t count,
                     const stretto_emulated_access &access) {
  const bool isChecked = block.checks != STRETTO_EMULATOR_CHECKS_NONE;
  if (isChecked)
    checkSharedPlace(thread, AccessKind::write, address, access);
  const auto offset = static_cast<uint32_t>(static_cast<const char *>(address) - block.shared);
  if (count == 0 || count >= manyArrivals)
    block.fail(thread, fmt::format("{} must ask for 1 to {} arrivals, but got {}", block.describe(wait),
                                   manyArrivals - 1, count));
  if (barriers.count(offset))
    block.fail(thread, fmt::format("{} of byte {}, where an mbarrier lies that nobody has invalidated",
                                   block.describe(wait), offset));
  if (isChecked)
    recordBarrier(thread, address, access);
  barriers[offset] = {offset, count, block.actor(thread).record(), 0, count, 0, thread.clock, thread.clock, {}, 0};
}

void Mbarriers::invalidate(Thread &thread, const stretto_emulated_wait &wait, const void *address) {
  Mbarrier &barrier = find(thread, wait, address);
  if (!barrier.waiting.empty() || barrier.waking)
    block.fail(thread, fmt::format("{} of {}, at which threads wait", block.describe(wait), nameOf(barrier)));
  if (block.checks != STRETTO_EMULATOR_CHECKS_NONE)
    recordLanded(thread, address, barrierBytes);
  barriers.erase(barrier.offset);
}

Mbarrier &Mbarriers::find(Thread &thread, const stretto_emulated_wait &wait, const void *address) {
  const uint64_t offset = static_cast<const char *>(address) - block.shared;
  auto at = barriers.find(static_cast<uint32_t>(offset));
  if (at == barriers.end() || offset != at->first)
    block.fail(thread, fmt::format("{} of byte {} of shared memory, where no mbarrier has been initialised",
                                   block.describe(wait), static_cast<int64_t>(offset)));
  Mbarrier &barrier = at->second;
  if (block.checks != STRETTO_EMULATOR_CHECKS_NONE && !isOrdered(barrier.made, block.actor(thread)))
    block.fail(thread, fmt::format("race: {} of {}, which thread {} has initialised with no barrier in between",
                                   block.describe(wait), nameOf(barrier), whoOf(barrier.made)));
  return barrier;
}

uint32_t Mbarriers::arrive(Thread &thread, const stretto_emulated_wait &wait, const void *address, uint32_t count) {
  Mbarrier &barrier = find(thread, wait, address);
  const uint32_t phase = barrier.phase;
  if (count == 0 || count > barrier.pending)
    block.fail(thread, fmt::format("{}: {} arrivals at {}, whose phase {} lacks {} of {}", block.describe(wait), count,
                                   nameOf(barrier), phase, barrier.pending, barrier.count));
  barrier.pending -= count;
  block.publish(thread, barrier.arrivals);
  completeIfDone(thread, barrier);
  block.yield(thread);
  return phase;
}

uint32_t Mbarriers::expect(Thread &thread, const stretto_emulated_wait &wait, const void *address, int64_t bytes) {
  Mbarrier &barrier = find(thread, wait, address);
  const uint32_t phase = barrier.phase;
  barrier.bytes += bytes;
  if (std::abs(barrier.bytes) >= manyArrivals)
    block.fail(thread, fmt::format("{}: phase {} of {} may lack at most {} bytes, but lacks {}", block.describe(wait),
                                   phase, nameOf(barrier), manyArrivals - 1, barrier.bytes));
  completeIfDone(thread, barrier);
  return phase;
}

void Mbarriers::completeIfDone(Thread &thread, Mbarrier &barrier) {
  if (barrier.pending || barrier.bytes)
    return;
  if (barrier.waking)
    block.fail(thread, fmt::format("it completes phase {} of {}, but a thread that waits for phase {} has not seen yet "
                                   "that that is over",
                                   barrier.phase, nameOf(barrier), barrier.phase - 1));
  ++barrier.phase;
  barrier.pending = barrier.count;
  std::swap(barrier.completed, barrier.arrivals);
  barrier.arrivals.reset(block.threadCount());
  barrier.waking = barrier.waiting.size();
  for (Thread *waiting : barrier.waiting)
    block.wake(*waiting);
  barrier.waiting.clear();
}

// Whether a phase has completed, which is the one that goes on or the one before.
bool Mbarriers::isOver(Thread &thread, const stretto_emulated_wait &wait, const Mbarrier &barrier, uint64_t phase) {
  if (wait.kind == STRETTO_EMULATED_PHASE_PARITY) {
    if (phase > 1)
      block.fail(thread, fmt::format("{}: the parity of a phase must be 0 or 1, but got {}", block.describe(wait),
                                     static_cast<int32_t>(phase)));
    return (barrier.phase & 1) != phase;
  }
  if (phase != barrier.phase && phase + 1 != barrier.phase)
    block.fail(thread, fmt::format("{}: phase {} of {} is neither the one that goes on, {}, nor the one before",
                                   block.describe(wait), phase, nameOf(barrier), barrier.phase));
  return phase != barrier.phase;
}

void Mbarriers::await(Thread &thread, const stretto_emulated_wait &wait, const void *address, uint64_t phase) {
  Mbarrier &barrier = find(thread, wait, address);
  if (!isOver(thread, wait, barrier, phase)) {
    thread.mbarrier = &barrier;
    barrier.waiting.push_back(&thread);
    block.suspend(thread, ThreadState::atMbarrier, wait);
    --barrier.waking;
  }
  thread.clock.join(barrier.completed);
  block.yield(thread);
}

bool Mbarriers::test(Thread &thread, const stretto_emulated_wait &wait, const void *address, uint64_t phase) {
  Mbarrier &barrier = find(thread, wait, address);
  if (!isOver(thread, wait, barrier, phase)) {
    thread.mbarrier = &barrier;
    block.poll(thread, wait);
    return false;
  }
  thread.clock.join(barrier.completed);
  return true;
}

std::string Mbarriers::describe(const Mbarrier &barrier) const {
  return fmt::format("phase {} of {}, which lacks {} of {} arrivals and {} bytes", barrier.phase, nameOf(barrier),
                     barrier.pending, barrier.count, barrier.bytes);
}

} // namespace stretto::emulator

extern "C" {
using namespace stretto::emulator;

[[gnu::visibility("default")]] void stretto_emulator_init_mbarrier(stretto_emulated_thread *self,
                                                                   const stretto_emulated_wait *wait,
                                                                   const void *address, uint32_t count,
                                                                   const stretto_emulated_access *access) {
  Thread &thread = threadOf(self);
  thread.owner->mbarriers.init(thread, *wait, address, count, *access);
}

[[gnu::visibility("default")]] void stretto_emulator_invalidate_mbarrier(stretto_emulated_thread *self,
                                                                         const stretto_emulated_wait *wait,
                                                                         const void *address) {
  Thread &thread = threadOf(self);
  thread.owner->mbarriers.invalidate(thread, *wait, address);
}

[[gnu::visibility("default")]] uint64_t stretto_emulator_arrive_mbarrier(stretto_emulated_thread *self,
                                                                         const stretto_emulated_wait *wait,
                                                                         const void *address, uint32_t count) {
  Thread &thread = threadOf(self);
  return thread.owner->mbarriers.arrive(thread, *wait, address, count);
}

[[gnu::visibility("default")]] void stretto_emulator_expect_bytes(stretto_emulated_thread *self,
                                                                  const stretto_emulated_wait *wait,
                                                                  const void *address, int64_t bytes) {
  Thread &thread = threadOf(self);
  thread.owner->mbarriers.expect(thread, *wait, address, bytes);
}

[[gnu::visibility("default")]] void stretto_emulator_await_mbarrier(stretto_emulated_thread *self,
                                                                    const stretto_emulated_wait *wait,
                                                                    const void *address, uint64_t phase) {
  Thread &thread = threadOf(self);
  thread.owner->mbarriers.await(thread, *wait, address, phase);
}

[[gnu::visibility("default")]] uint32_t stretto_emulator_test_mbarrier(stretto_emulated_thread *self,
                                                                       const stretto_emulated_wait *wait,
                                                                       const void *address, uint64_t phase) {
  Thread &thread = threadOf(self);
  return thread.owner->mbarriers.test(thread, *wait, address, phase);
}
}
