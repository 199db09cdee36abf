// Barrier objects in shared memory, at which some threads arrive and others wait; see "mbarrier" in the PTX ISA.
#pragma once

#include "runtime/abi/emulator.h"
#include "runtime/emulator/shadow.h"
#include "runtime/emulator/tensor_map.h"

#include <map>
#include <string>
#include <vector>

namespace stretto::emulator {

class Block;
struct Thread;

// A box on its way into shared memory.
struct BoxCopy {
  char *to;
  const TensorMap *map;
  Coordinates from;
};

struct Mbarrier {
  uint32_t offset;  // in shared memory
  uint32_t number;  // among those of the block
  uint32_t count;   // arrivals of each phase
  Record made;      // by whom it was initialised
  uint32_t phase;   // that goes on, counted from 0
  uint32_t pending; // arrivals that the phase lacks
  int64_t bytes;    // that the phase lacks, those of `copies` among them
  std::vector<BoxCopy> copies;
  int64_t copiedBytes; // of these
  bool isVisible;      // to copies
  uint32_t releasedAt; // phase of the cluster's barrier behind whose end all blocks see it; `never`: without more none
  Clock arrivals;      // what those know who arrived in this phase
  Clock completed;     // in the phase before
  std::vector<Thread *> waiting;
  uint32_t waking; // threads that have seen the phase before complete, but have not run since
};

// Those of a block.
class Mbarriers {
public:
  explicit Mbarriers(Block &block) : block(block) {}
  void clear() { barriers.clear(), made = 0; }

  void init(Thread &thread, const stretto_emulated_wait &wait, const void *address, uint32_t count,
            const stretto_emulated_access &access);
  void invalidate(Thread &thread, const stretto_emulated_wait &wait, const void *address);
  // Returns the number of the phase that it belongs to.
  uint32_t arrive(Thread &thread, const stretto_emulated_wait &wait, const void *address, uint32_t count);
  void expect(Thread &thread, const stretto_emulated_wait &wait, const void *address, int64_t bytes);
  // The copy brings its bytes to the phase that goes on. It lands as late as it may: when the phase is over and
  // somebody has waited for that.
  void copy(Thread &thread, const stretto_emulated_wait &wait, const void *address, const BoxCopy &copy);
  // What the thread has initialised is visible to copies.
  void fence(Thread &thread);
  // And to all threads of the cluster that wait for its barrier, at which the thread arrives next.
  void release(Thread &thread);
  // What is left when all threads have ended; empty if nothing is.
  std::string unfinished() const;
  // `phase`: its number, or its parity where the wait is of that kind.
  void await(Thread &thread, const stretto_emulated_wait &wait, const void *address, uint64_t phase);
  bool test(Thread &thread, const stretto_emulated_wait &wait, const void *address, uint64_t phase);

  // What a thread that waits for it lacks.
  std::string describe(const Mbarrier &barrier) const;

private:
  static constexpr uint32_t never = ~0u;

  std::string nameOf(const Thread &thread, const Mbarrier &barrier) const;
  void checkMade(Thread &thread, const stretto_emulated_wait &wait, const Mbarrier &barrier);
  Mbarrier &find(Thread &thread, const stretto_emulated_wait &wait, const void *address);
  bool isOver(Thread &thread, const stretto_emulated_wait &wait, Mbarrier &barrier, uint64_t phase);
  void completeIfDone(Thread &thread, Mbarrier &barrier);
  void complete(Thread &thread, Mbarrier &barrier);
  void land(Mbarrier &barrier);

  Block &block;
  uint32_t made = 0;                     // by the block
  std::map<uint32_t, Mbarrier> barriers; // by their offset
};

} // namespace stretto::emulator
