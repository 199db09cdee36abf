// Who has read granules of shared memory, where parts of a block wait for each other.
#pragma once

#include "runtime/emulator/shadow.h"

#include <vector>

namespace stretto::emulator {

// Threads of one warp that read with one stamp.
struct Readers {
  uint32_t block, warp, stamp, lanes;
};

// Where only whole warps and blocks synchronise, a record says enough of several readers. Where parts of a block do, a
// writer may be in order with some of them and not with others: then the record names a list of all.
class ReaderLists {
public:
  void start(bool keepsLists) { keeps = keepsLists, lists.clear(), unused.clear(); }
  // What to remember of readers when one more comes.
  Record add(Record readers, const Actor &actor);
  // Whether all of them read before anything that the actor does now. Otherwise `other` becomes one that did not.
  bool areOrdered(Record readers, const Actor &actor, Record &other) const;
  // A write comes after all of them.
  void forget(Record &readers);

private:
  bool keeps = false;
  std::vector<std::vector<Readers>> lists;
  std::vector<uint32_t> unused; // numbers of lists
};

} // namespace stretto::emulator
