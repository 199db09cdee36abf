// The barrier of all threads of a cluster; see "barrier.cluster" in the PTX ISA.
#include "runtime/emulator/cluster.h"

#include <fmt/format.h>
#include <utility>

namespace stretto::emulator {

void ClusterBarrier::start(uint32_t threadCount, const Clock &none) {
  over = 0;
  running = lacked = threadCount;
  empty = arrivals = completed = none;
  waiting.clear();
}

void ClusterBarrier::arrive(Thread &thread, const stretto_emulated_wait &wait, bool releases) {
  Block &block = *thread.owner;
  if (thread.clusterArrivals > thread.clusterWaits)
    block.fail(thread, fmt::format("{}: it arrives twice at the barrier of its cluster with no nvvm.cluster.wait in "
                                   "between",
                                   block.describe(wait)));
  ++thread.clusterArrivals;
  if (releases)
    block.publish(thread, arrivals);
  --lacked;
  completeIfDone();
  block.yield(thread);
}

void ClusterBarrier::wait(Thread &thread, const stretto_emulated_wait &wait) {
  Block &block = *thread.owner;
  if (thread.clusterArrivals == thread.clusterWaits)
    block.fail(thread, fmt::format("{}: it must have arrived at the barrier of its cluster", block.describe(wait)));
  if (thread.clusterArrivals > over) {
    waiting.push_back(&thread);
    block.suspend(thread, ThreadState::atClusterBarrier, wait);
  }
  ++thread.clusterWaits;
  thread.clock.join(completed);
}

void ClusterBarrier::leave(const Thread &thread) {
  --running;
  if (thread.clusterArrivals > over)
    return;
  --lacked;
  completeIfDone();
}

void ClusterBarrier::completeIfDone() {
  if (lacked > 0)
    return;
  ++over;
  lacked = running;
  std::swap(completed, arrivals);
  arrivals = empty;
  for (Thread *thread : waiting)
    thread->owner->wake(*thread);
  waiting.clear();
}

std::string ClusterBarrier::describe() const {
  return fmt::format("the barrier of the cluster, at which {} threads have not arrived", lacked);
}

} // namespace stretto::emulator

extern "C" {
using namespace stretto::emulator;

[[gnu::visibility("default")]] void stretto_emulator_arrive_cluster(stretto_emulated_thread *self,
                                                                    const stretto_emulated_wait *wait) {
  Thread &thread = threadOf(self);
  thread.owner->clusterBarrier().arrive(thread, *wait, wait->kind == STRETTO_EMULATED_RELEASES);
}

[[gnu::visibility("default")]] void stretto_emulator_await_cluster(stretto_emulated_thread *self,
                                                                   const stretto_emulated_wait *wait) {
  Thread &thread = threadOf(self);
  thread.owner->clusterBarrier().wait(thread, *wait);
}
}
