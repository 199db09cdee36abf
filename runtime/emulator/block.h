// One block of a launch at a time: its threads, who may run, who waits for what.
#pragma once

#include "runtime/emulator/async_matmuls.h"
#include "runtime/emulator/box_stores.h"
#include "runtime/emulator/fiber.h"
#include "runtime/emulator/launch.h"
#include "runtime/emulator/mbarriers.h"
#include "runtime/emulator/named_barriers.h"
#include "runtime/emulator/readers.h"
#include "runtime/emulator/register_pool.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace stretto::emulator {

class Block;
class Cluster;
class ClusterBarrier;

// A copy into shared memory that has not landed.
struct AsyncCopy {
  char *to;
  const char *from;
  uint32_t bytes, sourceBytes;
  uint32_t group; // number of the commit it belongs to, counted from the thread's start
};

// How often a thread has asked in vain since anything happened, and how much had happened then.
struct Polls {
  uint32_t idle;
  uint64_t seen;
};

enum class ThreadState {
  ready,
  atBarrier,
  atNamedBarrier,
  atMbarrier,
  polls,
  atClusterBarrier,
  atCollective,
  inGroup,
  awaitsRegisters,
  ended
};

struct Thread : stretto_emulated_thread {
  Block *owner;
  ThreadState state;
  const stretto_emulated_wait *waitsAt; // unless ready or ended
  uint32_t mask;                        // of the collective it waits at
  uint32_t namedBarrier;                // that it waits at
  const Mbarrier *mbarrier;             // that it waits for, or polls
  Polls polls;
  uint32_t stamp; // of its last synchronisation in which neither its whole warp nor its whole block took part
  Clock clock;
  uint32_t clusterArrivals, clusterWaits; // at the barrier of the cluster
  uint32_t commits;
  std::vector<AsyncCopy> copies; // oldest first
  ThreadStores stores;
  Fiber fiber;
};

// Lanes that wait for each other.
struct Gathering {
  uint32_t mask, arrived;
  const stretto_emulated_wait *wait;
};

struct Warp {
  uint32_t ready;                    // lanes that may run
  uint32_t stamp;                    // see shadow.h
  std::vector<Gathering> gatherings; // masks do not overlap
  uint32_t x[32], y[32], z[32];
  uint64_t result[32];
  void *rows[32];      // of matrices in shared memory
  void *registers[32]; // of fragments
};

// The threads of a warpgroup where they do something together.
struct GroupGathering {
  uint32_t arrived;
  const stretto_emulated_wait *wait;
};

// A number in 1 .. count without a common divisor with count, made from `random`: steps of it visit all of 0 ..
// count-1.
uint64_t strideThrough(uint64_t count, uint64_t random);

// Something that a thread of another block of the cluster did in this one's shared memory, last.
struct Visit {
  uint32_t stamp;
  int32_t place;
};

class Block {
public:
  // The one of this number in a cluster.
  Block(Cluster &cluster, uint32_t rank) : cluster(cluster), ownRank(rank) {}

  // For the blocks of `launch` that are run next.
  void enter(const Launch &launch, Settings settings);
  // The next one to run, by its number in the grid. Then either all its threads run, one after the other, or ...
  void start(int64_t index);
  void runInTurn();
  // ... each has a fiber, which the cluster lets go on.
  void prepareFibers();
  // A thread that may; null if there is none.
  Thread *choose();
  // Those that poll may go on, except where they have polled in vain for long and nothing has happened.
  void wakePolling();
  bool hasEnded() const { return ended == count; }
  // Ends the process if something should have been waited for.
  void reportUnfinished() const;

  // Called from a thread of the block:
  void barrier(Thread &thread, const stretto_emulated_wait &wait);
  uint64_t collective(Thread &thread, const stretto_emulated_wait &wait, uint32_t mask, uint32_t x, uint32_t y,
                      uint32_t z);
  // The lane waits for the others of `mask` at an operation. True for the last one, which does the work for all and
  // then calls `release`; the others return when that is done.
  bool meet(Thread &thread, const stretto_emulated_wait &wait, uint32_t mask);
  void release(Thread &thread);
  // The same for the warpgroup of the thread.
  bool meetGroup(Thread &thread, const stretto_emulated_wait &wait);
  void releaseGroup(const Thread &thread);
  // Which lane of the mask is the leader.
  uint32_t elect(uint32_t mask) const;
  // The thread asks for something that has not happened yet, and may ask again: others run first.
  void poll(Thread &thread, const stretto_emulated_wait &wait);
  // Others run until somebody wakes the thread.
  void suspend(Thread &thread, ThreadState state, const stretto_emulated_wait &wait);
  void wake(Thread &thread);
  // Lets others run where the seed says so.
  void yield(Thread &thread);
  // What the thread has done and what it knows goes into `to`.
  void publish(Thread &thread, Clock &to);
  // The asynchronous proxy sees what the thread has written and knows.
  void fence(Thread &thread);
  // A stamp that is higher than all before.
  uint32_t nextStamp();
  // Ends the process with a message about a thread.
  [[noreturn]] void fail(const Thread &thread, const std::string &what);
  // Whose shared memory holds an address; this one where none of the cluster's does. Another one must last until
  // somebody of its own knows that the thread is done there: `describe` says with what, `place` where that stands.
  template <typename Describe>
  Block &reach(Thread &thread, const void *address, int32_t place, const Describe &describe) {
    Block &memory = holder(address);
    if (&memory != this) [[unlikely]] {
      if (memory.hasEnded())
        failEnded(thread, memory, describe());
      memory.visits[{ownRank, thread.thread}] = {thread.stamp, place};
    }
    return memory;
  }

  Actor actor(const Thread &thread) const {
    const Warp &warp = warps[thread.thread / 32];
    return {static_cast<uint32_t>(index),
            static_cast<uint32_t>(thread.thread),
            blockStamp,
            warp.stamp,
            std::max(warp.stamp, thread.stamp),
            &thread.clock,
            firstBlock};
  }
  uint32_t threadCount() const { return count; }
  uint32_t number() const { return index; } // within the grid
  uint32_t rank() const { return ownRank; } // within the cluster
  const std::vector<Block *> &peers() const;
  ClusterBarrier &clusterBarrier();
  // The number in the cluster of the block that a record is about; as many as it has, or more, if it is of no such one.
  uint32_t rankOf(Record record) const { return blockOf(record) - firstBlock; }
  bool isOfCluster(Record record) const { return record && rankOf(record) < clusterBlocks; }
  Thread &threadAt(uint32_t number) { return *threads[number]; }
  // A clock of somebody in this block who knows nothing yet.
  void reset(Clock &clock) const;
  // Somebody in the background who comes after what the clock knows.
  Actor inBackground(uint32_t who, const Clock &known) const;
  // Whether threads wait at the barrier of the whole block.
  bool isAtBarrier() const { return arrived > 0; }
  std::string name() const;
  std::string describe(const stretto_emulated_wait &wait) const;
  // What each thread waits for.
  std::string describeWaiting() const;
  Warp &warpOf(const Thread &thread) { return warps[thread.thread / 32]; }
  // A lane of the warp of `thread`.
  Thread &laneOf(const Thread &thread, uint32_t lane) { return *threads[thread.thread / 32 * 32 + lane]; }
  uint64_t random();

  const Launch *launch = nullptr;
  stretto_emulator_checks checks = STRETTO_EMULATOR_CHECKS_FAST;
  char *shared = nullptr;
  char *sharedWindow = nullptr; // address 0 of shared memory
  Cell *sharedCells = nullptr;
  ReaderLists readers;
  AsyncMatmuls asyncMatmuls{*this};
  BoxStores boxStores{*this};
  Mbarriers mbarriers{*this};
  NamedBarriers namedBarriers{*this};
  RegisterPool registers{*this};

private:
  void startThread(int32_t number);
  static void runThread(void *thread);
  void end(Thread &thread);
  void checkVisits(const Thread &last);
  void suspend(Thread &thread);
  void makeReady(Thread &thread);
  void advance(uint32_t &stamp);
  void joinClocks(uint32_t first, uint32_t end, uint32_t stamp);
  bool holds(const void *address) const;
  Block &holder(const void *address);
  [[noreturn]] void failEnded(const Thread &thread, const Block &memory, const std::string &what);
  std::string describe(const Thread &thread) const;
  std::string describeWait(const Thread &thread) const;

  Cluster &cluster;
  uint32_t ownRank;
  const stretto_emulated_kernel *kernel = nullptr;
  uint64_t seed = 0, randomState = 0;
  int64_t index = 0;                          // of the block within the grid
  uint32_t firstBlock = 0, clusterBlocks = 1; // of its cluster
  uint32_t count = 0;                         // of threads
  uint32_t blockStamp = 0;
  std::vector<std::unique_ptr<Thread>> threads;
  std::vector<Warp> warps;
  std::vector<GroupGathering> groups;
  std::vector<Thread *> polling;
  uint32_t readyWarps = 0, currentWarp = 0;
  uint32_t arrived = 0; // at the barrier
  const stretto_emulated_wait *barrierAt = nullptr;
  uint32_t ended = 0;
  Clock knownAtEnd;                                      // by any of the threads that have ended
  std::map<std::pair<uint32_t, uint32_t>, Visit> visits; // by block of the cluster and thread
  std::vector<char> sharedMemory;
  std::vector<Cell> cells;
};

inline Thread &threadOf(stretto_emulated_thread *self) { return *static_cast<Thread *>(self); }

} // namespace stretto::emulator
