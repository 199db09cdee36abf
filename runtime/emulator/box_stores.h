// Bulk tensor copies out of shared memory, which threads commit and wait for.
#pragma once

#include "runtime/abi/emulator.h"
#include "runtime/emulator/clock.h"
#include "runtime/emulator/tensor_map.h"

#include <string>
#include <vector>

namespace stretto::emulator {

class Block;
struct Thread;

// A box on its way out of shared memory.
struct BoxStore {
  const char *from;
  const TensorMap *map;
  Coordinates to;
  size_t group; // number of the commit it belongs to
};

// Those of one thread.
struct ThreadStores {
  uint32_t number = mostStoring;      // among the threads of the block that store; this one: it has not
  std::vector<uint32_t> commits = {}; // stamps: what was read with a lower one belongs to it or to one before
  std::vector<BoxStore> stores = {};  // that have not been awaited, oldest first
};

class BoxStores {
public:
  explicit BoxStores(Block &block) : block(block) {}
  void clear() { threads.clear(); }

  void store(Thread &thread, const stretto_emulated_wait &wait, const BoxStore &store,
             const stretto_emulated_access &access);
  void commit(Thread &thread);
  // All but the last `groups` commits. They read shared memory until then, and write when somebody waits.
  void await(Thread &thread, size_t groups);
  // What is left when all threads have ended; empty if nothing is.
  std::string unfinished() const;

private:
  void check(Thread &thread, const BoxStore &store, const stretto_emulated_access &access);

  Block &block;
  std::vector<Thread *> threads; // that store
};

} // namespace stretto::emulator
