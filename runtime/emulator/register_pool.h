// Registers that the warpgroups of a block exchange; see "setmaxnreg" in the PTX ISA.
#pragma once

#include "runtime/abi/emulator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stretto::emulator {

class Block;
struct Thread;

// All threads of a group have as many.
class RegisterPool {
public:
  explicit RegisterPool(Block &block) : block(block) {}
  void clear();

  // The group of the thread, all of whose threads come by, has `registers` from now on; all groups had `launched` at
  // first.
  void take(Thread &thread, const stretto_emulated_wait &wait, uint32_t registers, uint32_t launched);
  void give(Thread &thread, const stretto_emulated_wait &wait, uint32_t registers, uint32_t launched);
  std::string describe() const;

private:
  uint32_t &ofGroup(const Thread &thread, uint32_t launched);

  Block &block;
  std::vector<uint32_t> groups; // empty until the first exchange
  uint32_t free = 0;            // for a thread of a group
  std::vector<Thread *> waiting;
};

} // namespace stretto::emulator
