// Barrier objects in shared memory, at which some threads arrive and others wait; see "mbarrier" in the PTX ISA.
#include "runtime/emulator/accesses.h"

#include <fmt/format.h>
#include <utility>

namespace stretto::emulator {
namespace {

constexpr uint32_t manyArrivals = 1 << 20; // also bytes that a phase may lack
constexpr uint32_t barrierBytes = 8;

std::string nameOf(const Mbarrier &barrier) { return fmt::format("the mbarrier at byte {}", barrier.offset); }

// Those of the block in whose shared memory the thread uses one, which may be another one of the cluster.
Mbarriers &reach(Thread &thread, const stretto_emulated_wait &wait, const void *address) {
  Block &block = *thread.owner;
  return block.reach(thread, address, wait.place, [&] { return block.describe(wait); }).mbarriers;
}

// Whether a wait is for the phase that goes on.
bool isAbout(const Mbarrier &barrier, const stretto_emulated_wait &wait, uint64_t phase) {
  return phase == (wait.kind == STRETTO_EMULATED_PHASE_PARITY ? barrier.phase & 1 : barrier.phase);
}

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
  if (made == mostMbarriers)
    block.fail(thread, fmt::format("{}: a block may initialise at most {} mbarriers", block.describe(wait), made));
  Mbarrier &barrier = barriers[offset];
  barrier = Mbarrier();
  barrier.offset = offset;
  barrier.number = made++;
  barrier.count = barrier.pending = count;
  barrier.made = block.actor(thread).record();
  barrier.releasedAt = never;
  block.reset(barrier.arrivals);
  block.reset(barrier.completed);
}

void Mbarriers::invalidate(Thread &thread, const stretto_emulated_wait &wait, const void *address) {
  Mbarrier &barrier = find(thread, wait, address);
  if (!barrier.waiting.empty() || barrier.waking || !barrier.copies.empty())
    block.fail(thread,
               fmt::format("{} of {}, at which threads or copies are", block.describe(wait), nameOf(thread, barrier)));
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
  if (block.checks != STRETTO_EMULATOR_CHECKS_NONE)
    checkMade(thread, wait, barrier);
  return barrier;
}

void Mbarriers::checkMade(Thread &thread, const stretto_emulated_wait &wait, const Mbarrier &barrier) {
  const bool isReleased = barrier.releasedAt != never && thread.clusterWaits > barrier.releasedAt;
  if (!isReleased && !isOrdered(barrier.made, thread.owner->actor(thread)))
    block.fail(thread, fmt::format("race: {} of {}, which thread {} has initialised with no barrier in between",
                                   block.describe(wait), nameOf(thread, barrier), whoOf(barrier.made)));
}

std::string Mbarriers::nameOf(const Thread &thread, const Mbarrier &barrier) const {
  return emulator::nameOf(barrier) + (thread.owner == &block ? "" : " of " + block.name());
}

uint32_t Mbarriers::arrive(Thread &thread, const stretto_emulated_wait &wait, const void *address, uint32_t count) {
  Mbarrier &barrier = find(thread, wait, address);
  const uint32_t phase = barrier.phase;
  if (count == 0 || count > barrier.pending)
    block.fail(thread, fmt::format("{}: {} arrivals at {}, whose phase {} lacks {} of {}", block.describe(wait), count,
                                   nameOf(thread, barrier), phase, barrier.pending, barrier.count));
  barrier.pending -= count;
  thread.owner->publish(thread, barrier.arrivals);
  completeIfDone(thread, barrier);
  thread.owner->yield(thread);
  return phase;
}

void Mbarriers::expect(Thread &thread, const stretto_emulated_wait &wait, const void *address, int64_t bytes) {
  Mbarrier &barrier = find(thread, wait, address);
  barrier.bytes += bytes;
  if (std::abs(barrier.bytes) >= manyArrivals)
    block.fail(thread, fmt::format("{}: phase {} of {} may lack at most {} bytes, but lacks {}", block.describe(wait),
                                   barrier.phase, nameOf(thread, barrier), manyArrivals - 1, barrier.bytes));
  completeIfDone(thread, barrier);
}

void Mbarriers::copy(Thread &thread, const stretto_emulated_wait &wait, const void *address, const BoxCopy &copy) {
  Mbarrier &barrier = find(thread, wait, address);
  if (!barrier.isVisible && block.checks != STRETTO_EMULATOR_CHECKS_NONE)
    block.fail(thread, fmt::format("{}: {}, which thread {} has initialised with no fence.mbarrier.init behind it",
                                   block.describe(wait), nameOf(thread, barrier), whoOf(barrier.made)));
  barrier.copies.push_back(copy);
  barrier.copiedBytes += copy.map->boxBytes();
  if (barrier.pending == 0 && barrier.copiedBytes > barrier.bytes)
    block.fail(thread, fmt::format("{}: phase {} of {} lacks {} bytes, but copies bring {}", block.describe(wait),
                                   barrier.phase, nameOf(thread, barrier), barrier.bytes, barrier.copiedBytes));
  completeIfDone(thread, barrier);
  thread.owner->yield(thread);
}

void Mbarriers::fence(Thread &thread) {
  for (auto &[offset, barrier] : barriers)
    if (whoOf(barrier.made) == static_cast<uint32_t>(thread.thread))
      barrier.isVisible = true;
}

void Mbarriers::release(Thread &thread) {
  fence(thread);
  for (auto &[offset, barrier] : barriers)
    if (whoOf(barrier.made) == static_cast<uint32_t>(thread.thread))
      barrier.releasedAt = std::min(barrier.releasedAt, thread.clusterArrivals);
}

std::string Mbarriers::unfinished() const {
  for (const auto &[offset, barrier] : barriers)
    if (!barrier.copies.empty())
      return fmt::format("all threads have ended, but nobody has waited for copies of {} bytes in phase {} of {}",
                         barrier.copiedBytes, barrier.phase, emulator::nameOf(barrier));
  return "";
}

// Copies land when somebody waits.
void Mbarriers::completeIfDone(Thread &thread, Mbarrier &barrier) {
  if (barrier.pending == 0 && barrier.bytes == barrier.copiedBytes &&
      (barrier.copies.empty() || !barrier.waiting.empty()))
    complete(thread, barrier);
}

void Mbarriers::land(Mbarrier &barrier) {
  const uint32_t who = firstCopies + barrier.number, stamp = block.nextStamp();
  for (const BoxCopy &copy : barrier.copies) {
    copy.map->copy(copy.from, block.sharedWindow, copy.to);
    if (block.checks != STRETTO_EMULATOR_CHECKS_NONE)
      recordLanded(block, makeRecord(block.number(), who, stamp), copy.to, copy.map->boxBytes());
  }
  barrier.copies.clear();
  barrier.copiedBytes = barrier.bytes = 0;
  barrier.completed.of(who) = block.nextStamp();
}

void Mbarriers::complete(Thread &thread, Mbarrier &barrier) {
  if (barrier.waking)
    block.fail(thread, fmt::format("it completes phase {} of {}, but a thread that waits for phase {} has not seen yet "
                                   "that that is over",
                                   barrier.phase, nameOf(thread, barrier), barrier.phase - 1));
  ++barrier.phase;
  barrier.pending = barrier.count;
  std::swap(barrier.completed, barrier.arrivals);
  block.reset(barrier.arrivals);
  land(barrier);
  barrier.waking = barrier.waiting.size();
  for (Thread *waiting : barrier.waiting)
    block.wake(*waiting);
  barrier.waiting.clear();
}

// Whether a phase has completed, which is the one that goes on or the one before. Asked for it, copies land.
bool Mbarriers::isOver(Thread &thread, const stretto_emulated_wait &wait, Mbarrier &barrier, uint64_t phase) {
  if (barrier.pending == 0 && barrier.bytes == barrier.copiedBytes && isAbout(barrier, wait, phase))
    complete(thread, barrier);
  if (wait.kind == STRETTO_EMULATED_PHASE_PARITY) {
    if (phase > 1)
      block.fail(thread, fmt::format("{}: the parity of a phase must be 0 or 1, but got {}", block.describe(wait),
                                     static_cast<int32_t>(phase)));
    return !isAbout(barrier, wait, phase);
  }
  if (phase != barrier.phase && phase + 1 != barrier.phase)
    block.fail(thread, fmt::format("{}: phase {} of {} is neither the one that goes on, {}, nor the one before",
                                   block.describe(wait), phase, nameOf(thread, barrier), barrier.phase));
  return !isAbout(barrier, wait, phase);
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
  return fmt::format("phase {} of {}, which lacks {} of {} arrivals and {} bytes{}", barrier.phase,
                     emulator::nameOf(barrier), barrier.pending, barrier.count, barrier.bytes,
                     barrier.copies.empty() ? "" : fmt::format(", of which copies bring {}", barrier.copiedBytes));
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
  return reach(thread, *wait, address).arrive(thread, *wait, address, count);
}

[[gnu::visibility("default")]] void stretto_emulator_expect_bytes(stretto_emulated_thread *self,
                                                                  const stretto_emulated_wait *wait,
                                                                  const void *address, int64_t bytes) {
  Thread &thread = threadOf(self);
  reach(thread, *wait, address).expect(thread, *wait, address, bytes);
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
