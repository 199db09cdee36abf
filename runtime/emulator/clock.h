// What a thread knows of the others where parts of a block wait for each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stretto::emulator {

// Besides threads there are others that access memory, in the background: the asynchronous matmuls of each warpgroup,
// the bulk copies that each mbarrier waits for, and those out of shared memory of each thread that makes some.
inline constexpr uint32_t mostThreads = 1024, firstBackground = mostThreads, mostGroups = 8, mostMbarriers = 64,
                          mostStoring = 16;
inline constexpr uint32_t firstCopies = firstBackground + mostGroups, firstStores = firstCopies + mostMbarriers,
                          backgroundCount = mostGroups + mostMbarriers + mostStoring;

// For each thread of a block, and for all in the background, a stamp (shadow.h): what they did with a lower one comes
// before everything that the owner of the clock does from now on. For each thread also a stamp of fences: the
// asynchronous proxy sees what it wrote with a lower one. The same for each block of the owner's cluster. Empty in
// kernels where only whole blocks and warps synchronise.
class Clock {
public:
  // Of somebody in block `own` of a cluster of so many blocks.
  void reset(uint32_t threadCount, uint32_t blockCount, uint32_t own) {
    threads = threadCount;
    blocks = blockCount;
    ownBlock = own;
    bounds.assign(threads ? blocks * ofBlock() : 0, 0);
  }
  bool isUsed() const { return !bounds.empty(); }
  // Of somebody in the owner's block.
  uint32_t &of(uint32_t who) { return bounds[ownBlock * ofBlock() + indexOf(who)]; }
  // Of somebody in a block of the cluster, by its number there.
  bool knows(uint32_t block, uint32_t who, uint32_t stamp) const {
    const uint32_t index = indexOf(who);
    return index < threads + backgroundCount && block < blocks && isUsed() && stamp < bounds[block * ofBlock() + index];
  }
  bool isFenced(uint32_t block, uint32_t thread, uint32_t stamp) const {
    return isUsed() && stamp < bounds[block * ofBlock() + threads + backgroundCount + thread];
  }

  // All that the owner knows of threads, and that those of its block did before `least`, is visible to the asynchronous
  // proxy.
  void fence(uint32_t least) {
    for (uint32_t block = 0; block < blocks; ++block)
      for (uint32_t thread = 0; thread < threads; ++thread) {
        uint32_t *const bound = &bounds[block * ofBlock() + thread];
        bound[threads + backgroundCount] = std::max(*bound, block == ownBlock ? least : 0);
      }
  }
  // From now on the owner knows what the other clock's owner knows.
  void join(const Clock &other) {
    for (size_t i = 0; i < bounds.size(); ++i)
      bounds[i] = std::max(bounds[i], other.bounds[i]);
  }
  // What both know.
  void meet(const Clock &other) {
    for (size_t i = 0; i < bounds.size(); ++i)
      bounds[i] = std::min(bounds[i], other.bounds[i]);
  }

private:
  uint32_t indexOf(uint32_t who) const { return who < mostThreads ? who : threads + (who - firstBackground); }

  uint32_t ofBlock() const { return 2 * threads + backgroundCount; }

  uint32_t threads = 0, blocks = 0, ownBlock = 0;
  std::vector<uint32_t> bounds; // of each block: of threads, of those in the background; fences of threads
};

} // namespace stretto::emulator
