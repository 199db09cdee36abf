// Barrier objects in shared memory, at which some threads arrive and others wait; see "mbarrier" in the PTX ISA.
#pragma once

#include "runtime/abi/emulator.h"
#include "runtime/emulator/shadow.h"

#include <map>
#include <string>
#include <vector>

namespace stretto::emulator {

class Block;
struct Thread;

struct Mbarrier {
  uint32_t offset;  // in shared memory
  uint32_t count;   // arrivals of each phase
  Record made;      // by whom it was initialised
  uint32_t phase;   // that goes on, counted from 0
  uint32_t pending; // arrivals that the phase lacks
  int64_t bytes;    // that the phase lacks
  Clock arrivals;   // what those know who arrived in this phase
  Clock completed;  // in the phase before
  std::vector<Thread *> waiting;
  uint32_t waking; // threads that have seen the phase before complete, but have not run since
};

// Those of a block.
class Mbarriers {
public:
  explicit Mbarriers(Block &block) : block(block) {}
  void clear() { barriers.clear(); }

  void init(Thread &thread, const stretto_emulated_wait &wait, const void *address, uint32_t count,
            const stretto_emulated_access &access);
  void invalidate(Thread &thread, const stretto_emulated_wait &wait, const void *address);
  // Each returns the number of the phase that goes on when it begins.
  uint32_t arrive(Thread &thread, const stretto_emulated_wait &wait, const void *address, uint32_t count);
  uint32_t expect(Thread &thread, const stretto_emulated_wait &wait, const void *address, int64_t bytes);
  // `phase`: its number, or its parity where the wait is of that kind.
  void await(Thread &thread, const stretto_emulated_wait &wait, const void *address, uint64_t phase);
  bool test(Thread &thread, const stretto_emulated_wait &wait, const void *address, uint64_t phase);

  // What a thread that waits for it lacks.
  std::string describe(const Mbarrier &barrier) const;

private:
  Mbarrier &find(Thread &thread, const stretto_emulated_wait &wait, const void *address);
  bool isOver(Thread &thread, const stretto_emulated_wait &wait, const Mbarrier &barrier, uint64_t phase);
  void completeIfDone(Thread &thread, Mbarrier &barrier);

  Block &block;
  std::map<uint32_t, Mbarrier> barriers; // by their offset
};

} // namespace stretto::emulator
