// The sixteen barriers of a block at which some of its threads meet; see "bar" in the PTX ISA.
#include "runtime/emulator/block.h"

#include <algorithm>
#include <fmt/format.h>

namespace stretto::emulator {

void NamedBarriers::clear() {
  for (Barrier &barrier : barriers)
    barrier = {};
}

void NamedBarriers::check(Thread &thread, const stretto_emulated_wait &wait, uint32_t number, uint32_t threads) {
  if (number >= barriers.size())
    block.fail(thread, fmt::format("{}: a barrier must have a number from 0 to {}, but got {}", block.describe(wait),
                                   barriers.size() - 1, number));
  if (threads == 0 || threads % 32 || threads > block.threadCount())
    block.fail(thread, fmt::format("{}: a barrier must be of whole warps, at most the {} threads of the block, but got "
                                   "{} threads",
                                   block.describe(wait), block.threadCount(), threads));
  if (number == 0 && block.isAtBarrier())
    block.fail(thread, fmt::format("{}: others wait at barrier 0 as the whole block", block.describe(wait)));
  const Barrier &barrier = barriers[number];
  if (!barrier.arrived.empty() && barrier.threads != threads)
    block.fail(thread, fmt::format("{}: others have arrived at barrier {} as one of {} threads, but got {}",
                                   block.describe(wait), number, barrier.threads, threads));
  if (std::find(barrier.arrived.begin(), barrier.arrived.end(), &thread) != barrier.arrived.end())
    block.fail(thread, fmt::format("{}: it arrives twice at barrier {} of {} threads, at which {} have arrived",
                                   block.describe(wait), number, threads, barrier.arrived.size()));
}

void NamedBarriers::arrive(Thread &thread, const stretto_emulated_wait &wait, uint32_t number, uint32_t threads,
                           bool waits) {
  check(thread, wait, number, threads);
  Barrier &barrier = barriers[number];
  if (barrier.arrived.empty())
    block.reset(barrier.clock);
  barrier.threads = threads;
  barrier.arrived.push_back(&thread);
  block.publish(thread, barrier.clock);
  if (barrier.arrived.size() == threads) {
    if (waits)
      thread.clock.join(barrier.clock);
    for (Thread *waiting : barrier.waiting) {
      waiting->clock.join(barrier.clock);
      block.wake(*waiting);
    }
    barrier.arrived.clear();
    barrier.waiting.clear();
    return block.yield(thread);
  }
  if (!waits)
    return block.yield(thread);
  barrier.waiting.push_back(&thread);
  thread.namedBarrier = number;
  block.suspend(thread, ThreadState::atNamedBarrier, wait);
}

std::string NamedBarriers::describe(uint32_t number) const {
  return fmt::format("barrier {}, at which {} of {} threads have arrived", number, barriers[number].arrived.size(),
                     barriers[number].threads);
}

} // namespace stretto::emulator

extern "C" {
using namespace stretto::emulator;

[[gnu::visibility("default")]] void stretto_emulator_named_barrier(stretto_emulated_thread *self,
                                                                   const stretto_emulated_wait *wait, uint32_t number,
                                                                   uint32_t threads) {
  Thread &thread = threadOf(self);
  thread.owner->namedBarriers.arrive(thread, *wait, number, threads, wait->kind == STRETTO_EMULATED_ARRIVE_AND_WAIT);
}
}
