// Registers that the warpgroups of a block exchange.
#include "runtime/emulator/block.h"

#include <fmt/format.h>

namespace stretto::emulator {

void RegisterPool::clear() {
  groups.clear();
  waiting.clear();
  free = 0;
}

uint32_t &RegisterPool::ofGroup(const Thread &thread, uint32_t launched) {
  if (groups.empty())
    groups.assign(block.threadCount() / groupThreads, launched);
  return groups[thread.thread / groupThreads];
}

void RegisterPool::take(Thread &thread, const stretto_emulated_wait &wait, uint32_t registers, uint32_t launched) {
  if (!block.meetGroup(thread, wait))
    return;
  uint32_t &now = ofGroup(thread, launched);
  if (registers < now)
    block.fail(thread, fmt::format("{}: a thread that has {} registers must take more, but got {}",
                                   block.describe(wait), now, registers));
  while (free < registers - now) {
    waiting.push_back(&thread);
    block.suspend(thread, ThreadState::awaitsRegisters, wait);
  }
  free -= registers - now;
  now = registers;
  block.releaseGroup(thread);
}

void RegisterPool::give(Thread &thread, const stretto_emulated_wait &wait, uint32_t registers, uint32_t launched) {
  if (!block.meetGroup(thread, wait))
    return;
  uint32_t &now = ofGroup(thread, launched);
  if (registers > now)
    block.fail(thread, fmt::format("{}: a thread that has {} registers must keep fewer, but got {}",
                                   block.describe(wait), now, registers));
  free += now - registers;
  now = registers;
  for (Thread *each : waiting)
    block.wake(*each);
  waiting.clear();
  block.releaseGroup(thread);
}

std::string RegisterPool::describe() const { return fmt::format("registers, of which {} of a thread are free", free); }

} // namespace stretto::emulator

extern "C" {
using namespace stretto::emulator;

[[gnu::visibility("default")]] void stretto_emulator_take_registers(stretto_emulated_thread *self,
                                                                    const stretto_emulated_wait *wait,
                                                                    uint32_t registers, uint32_t launched) {
  Thread &thread = threadOf(self);
  thread.owner->registers.take(thread, *wait, registers, launched);
}

[[gnu::visibility("default")]] void stretto_emulator_give_registers(stretto_emulated_thread *self,
                                                                    const stretto_emulated_wait *wait,
                                                                    uint32_t registers, uint32_t launched) {
  Thread &thread = threadOf(self);
  thread.owner->registers.give(thread, *wait, registers, launched);
}
}
