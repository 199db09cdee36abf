// One cluster of a launch at a time, on one host thread: its blocks, whose threads take turns. Where kernels have no
// clusters, each block is one.
#pragma once

#include "runtime/emulator/block.h"
#include "runtime/emulator/cluster_barrier.h"

#include <memory>
#include <string>
#include <vector>

namespace stretto::emulator {

class Cluster {
public:
  // For the clusters of `launch` that are run next.
  void enter(const Launch &launch, Settings settings);
  // Runs one from beginning to end.
  void run(int64_t number);

  // Another thread goes on; `from` when somebody chooses it.
  void goOn(Fiber &from);
  // Ends the process with a message.
  [[noreturn]] void fail(const std::string &what);

  uint32_t stamp = 0;  // the last one that was given
  uint64_t events = 0; // that a thread may have polled for
  ClusterBarrier barrier;
  std::vector<Block *> blocks;

private:
  void runFibers();
  Thread *choose();
  [[noreturn]] void reportDeadlock() const;

  const Launch *launch = nullptr;
  std::vector<std::unique_ptr<Block>> memory; // of blocks, those that this launch does not need as well
  bool isShuffled = false;                    // whether the seed chooses the block that goes on
  uint32_t current = 0;                       // block
  Fiber host;
  bool inFiber = false;
  std::string failure;
};

} // namespace stretto::emulator
