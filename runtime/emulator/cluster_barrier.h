// The barrier of all threads of a cluster; see "barrier.cluster" in the PTX ISA.
#pragma once

#include "runtime/abi/emulator.h"
#include "runtime/emulator/clock.h"

#include <string>
#include <vector>

namespace stretto::emulator {

struct Thread;

// Its phases are counted by all: the arrivals of a thread, the waits of a thread, and those that are over. Threads that
// have ended take no part any more.
class ClusterBarrier {
public:
  void start(uint32_t threadCount, const Clock &empty);
  // `releases`: what the thread knows is known to those that wait.
  void arrive(Thread &thread, const stretto_emulated_wait &wait, bool releases);
  void wait(Thread &thread, const stretto_emulated_wait &wait);
  void leave(const Thread &thread);
  std::string describe() const;

private:
  void completeIfDone();

  uint32_t over = 0;                // phases
  uint32_t running = 0, lacked = 0; // threads that have not ended; of these and in this phase, that have not arrived
  Clock empty, arrivals, completed; // what those know who arrived in this phase, in the one before
  std::vector<Thread *> waiting;
};

} // namespace stretto::emulator
