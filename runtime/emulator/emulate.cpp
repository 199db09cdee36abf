// The way in: runs clusters of a launch on the calling thread.
#include "runtime/emulator/cluster.h"
#include "runtime/emulator/report.h"

#include <fmt/format.h>

namespace stretto::emulator {

static void checkSizes(const stretto_emulated_kernel &kernel) {
  if (kernel.block < 32 || kernel.block > mostThreads || kernel.block % 32)
    report(fmt::format("kernel {}: a block must have 32 to {} threads, whole warps, but got {}",
                       kernel.texts + kernel.name, mostThreads, kernel.block));
  if (kernel.grid_x * kernel.grid_y >= manyBlocks)
    report(fmt::format("kernel {}: a grid must have less than {} blocks, but got {}", kernel.texts + kernel.name,
                       manyBlocks, kernel.grid_x * kernel.grid_y));
}

static void emulate(const stretto_emulated_kernel &kernel, void *const *buffers, int64_t begin, int64_t end) {
  if (begin >= end)
    return;
  checkSizes(kernel);
  const Settings now = settings();
  const std::shared_ptr<Launch> launch = joinLaunch(kernel, buffers, begin, end, now.checks);
  static thread_local Cluster cluster;
  cluster.enter(*launch, now);
  const uint64_t count = end - begin;
  const uint64_t step = now.seed ? strideThrough(count, now.seed) : 1;
  for (uint64_t i = 0, at = now.seed % count; i < count; ++i, at = (at + step) % count)
    cluster.run(begin + at);
}

} // namespace stretto::emulator

extern "C" [[gnu::visibility("default")]] void stretto_emulate(const stretto_emulated_kernel *kernel,
                                                               void *const *buffers, int64_t begin, int64_t end) {
  stretto::emulator::emulate(*kernel, buffers, begin, end);
}
