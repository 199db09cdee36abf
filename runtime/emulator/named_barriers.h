// The sixteen barriers of a block at which some of its threads meet; see "bar" in the PTX ISA.
#pragma once

#include "runtime/abi/emulator.h"
#include "runtime/emulator/clock.h"

#include <array>
#include <string>
#include <vector>

namespace stretto::emulator {

class Block;
struct Thread;

class NamedBarriers {
public:
  explicit NamedBarriers(Block &block) : block(block) {}
  void clear();

  // The thread is one of `threads` at barrier `number`, and waits for the others if `waits`.
  void arrive(Thread &thread, const stretto_emulated_wait &wait, uint32_t number, uint32_t threads, bool waits);
  // Barrier 0 is also the one of the whole block.
  bool isIdle(uint32_t number) const { return barriers[number].arrived.empty(); }
  std::string describe(uint32_t number) const;

private:
  struct Barrier {
    uint32_t threads;
    std::vector<Thread *> arrived, waiting;
    Clock clock; // what those know who have arrived
  };
  void check(Thread &thread, const stretto_emulated_wait &wait, uint32_t number, uint32_t threads);

  Block &block;
  std::array<Barrier, 16> barriers;
};

} // namespace stretto::emulator
