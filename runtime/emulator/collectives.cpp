// Operations of a warp: each lane posts its operands, the last one computes for all.
#include "runtime/emulator/cluster.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace stretto::emulator {
namespace {

// See shfl.sync in the PTX ISA. Returns the lane to read; whether it is in range goes to `inRange`.
uint32_t sourceLane(int64_t kind, uint32_t lane, uint32_t offset, uint32_t maskAndClamp, bool &inRange) {
  const uint32_t b = offset & 31, segment = maskAndClamp >> 8 & 31, clamp = maskAndClamp & 31;
  const uint32_t least = lane & segment, most = least | (clamp & ~segment);
  int32_t source = 0;
  switch (kind) {
  case STRETTO_EMULATED_SHUFFLE_UP:
    source = static_cast<int32_t>(lane) - static_cast<int32_t>(b);
    inRange = source >= static_cast<int32_t>(most);
    break;
  case STRETTO_EMULATED_SHUFFLE_DOWN:
    source = lane + b;
    inRange = source <= static_cast<int32_t>(most);
    break;
  case STRETTO_EMULATED_SHUFFLE_BFLY:
    source = lane ^ b;
    inRange = source <= static_cast<int32_t>(most);
    break;
  default:
    source = least | (b & ~segment);
    inRange = source <= static_cast<int32_t>(most);
  }
  return inRange ? source : lane;
}

uint32_t combine(int64_t kind, uint32_t a, uint32_t b) {
  const int32_t signedA = a, signedB = b;
  switch (kind) {
  case STRETTO_EMULATED_REDUCE_ADD:
    return a + b;
  case STRETTO_EMULATED_REDUCE_AND:
    return a & b;
  case STRETTO_EMULATED_REDUCE_OR:
    return a | b;
  case STRETTO_EMULATED_REDUCE_XOR:
    return a ^ b;
  case STRETTO_EMULATED_REDUCE_MIN:
    return std::min(signedA, signedB);
  case STRETTO_EMULATED_REDUCE_MAX:
    return std::max(signedA, signedB);
  case STRETTO_EMULATED_REDUCE_UMIN:
    return std::min(a, b);
  default:
    return std::max(a, b);
  }
}

template <typename Visit> void forEachLane(uint32_t mask, const Visit &visit) {
  for (; mask; mask &= mask - 1)
    visit(static_cast<uint32_t>(std::countr_zero(mask)));
}

// The same for all lanes.
uint32_t vote(int64_t kind, uint32_t mask, const uint32_t *x) {
  uint32_t ballot = 0;
  forEachLane(mask, [&](uint32_t lane) { ballot |= (x[lane] & 1) << lane; });
  switch (kind) {
  case STRETTO_EMULATED_VOTE_ANY:
    return ballot != 0;
  case STRETTO_EMULATED_VOTE_ALL:
    return ballot == mask;
  case STRETTO_EMULATED_VOTE_UNI:
    return ballot == 0 || ballot == mask;
  default:
    return ballot;
  }
}

uint32_t reduce(int64_t kind, uint32_t mask, const uint32_t *x) {
  uint32_t total = x[std::countr_zero(mask)];
  forEachLane(mask & (mask - 1), [&](uint32_t lane) { total = combine(kind, total, x[lane]); });
  return total;
}

bool isShuffle(int64_t kind) { return kind >= STRETTO_EMULATED_SHUFFLE_BFLY && kind <= STRETTO_EMULATED_SHUFFLE_IDX; }
bool isVote(int64_t kind) { return kind >= STRETTO_EMULATED_VOTE_ANY && kind <= STRETTO_EMULATED_VOTE_BALLOT; }

// Writes the results of the lanes in `mask`. Returns a lane that reads one outside of the mask, or -1.
int compute(Warp &warp, int64_t kind, uint32_t mask) {
  if (!isShuffle(kind)) {
    const uint32_t all = isVote(kind) ? vote(kind, mask, warp.x) : reduce(kind, mask, warp.x);
    forEachLane(mask, [&](uint32_t lane) { warp.result[lane] = all; });
    return -1;
  }
  int wrong = -1;
  forEachLane(mask, [&](uint32_t lane) {
    bool inRange = false;
    const uint32_t source = sourceLane(kind, lane, warp.y[lane], warp.z[lane], inRange);
    if (!(mask >> source & 1))
      wrong = lane;
    warp.result[lane] = warp.x[source] | static_cast<uint64_t>(inRange) << 32;
  });
  return wrong;
}

} // namespace

// The gathering that a lane joins; null where it cannot join what is going on, which then is `other`.
static Gathering *join(Warp &warp, const stretto_emulated_wait &wait, uint32_t mask, const Gathering *&other) {
  for (Gathering &gathering : warp.gatherings) {
    if (gathering.mask == mask && gathering.wait == &wait)
      return &gathering;
    if (gathering.mask & mask) {
      other = &gathering;
      return nullptr;
    }
  }
  return &warp.gatherings.emplace_back(Gathering{mask, 0, &wait});
}

bool Block::meet(Thread &thread, const stretto_emulated_wait &wait, uint32_t mask) {
  const uint32_t lane = thread.thread % 32;
  if (!(mask >> lane & 1))
    fail(thread, fmt::format("its mask must hold the lane that executes it, but got 0x{:08x} in lane {} at {}", mask,
                             lane, describe(wait)));
  const Gathering *other = nullptr;
  Gathering *gathering = join(warpOf(thread), wait, mask, other);
  if (!gathering)
    fail(thread,
         fmt::format("lanes of one mask must execute the same operation with the same mask, but lane {} is at {} "
                     "with mask 0x{:08x}, lane {} at {} with mask 0x{:08x}",
                     lane, describe(wait), mask, std::countr_zero(other->arrived), describe(*other->wait),
                     other->mask));
  gathering->arrived |= 1u << lane;
  thread.state = ThreadState::atCollective;
  thread.waitsAt = &wait;
  thread.mask = mask;
  if (gathering->arrived == mask)
    return true;
  suspend(thread);
  return false;
}

void Block::release(Thread &thread) {
  Warp &warp = warpOf(thread);
  auto done = std::find_if(warp.gatherings.begin(), warp.gatherings.end(),
                           [&](const Gathering &gathering) { return gathering.mask == thread.mask; });
  *done = warp.gatherings.back();
  warp.gatherings.pop_back();
  forEachLane(thread.mask, [&](uint32_t lane) { laneOf(thread, lane).state = ThreadState::ready; });
  warp.ready |= thread.mask;
  readyWarps |= 1u << thread.thread / 32;
  ++cluster.events;
}

bool Block::meetGroup(Thread &thread, const stretto_emulated_wait &wait) {
  const uint32_t number = thread.thread / groupThreads;
  if (number >= groups.size())
    fail(thread,
         fmt::format("{} takes whole groups of {} threads, but the block has {}", describe(wait), groupThreads, count));
  GroupGathering &group = groups[number];
  if (group.arrived == 0)
    group.wait = &wait;
  if (group.wait != &wait)
    fail(thread, fmt::format("the threads of a warpgroup must execute the same operation, but it is at {}, others "
                             "at {}",
                             describe(wait), describe(*group.wait)));
  if (++group.arrived == groupThreads)
    return true;
  suspend(thread, ThreadState::inGroup, wait);
  return false;
}

void Block::releaseGroup(const Thread &thread) {
  const uint32_t number = thread.thread / groupThreads, first = number * groupThreads;
  groups[number].arrived = 0;
  for (uint32_t i = first; i < first + groupThreads; ++i)
    wake(*threads[i]);
}

uint64_t Block::collective(Thread &thread, const stretto_emulated_wait &wait, uint32_t mask, uint32_t x, uint32_t y,
                           uint32_t z) {
  Warp &warp = warpOf(thread);
  const uint32_t lane = thread.thread % 32;
  warp.x[lane] = x;
  warp.y[lane] = y;
  warp.z[lane] = z;
  if (!meet(thread, wait, mask))
    return warp.result[lane];
  if (wait.kind == STRETTO_EMULATED_SYNC_WARP) {
    if (mask == ~0u) {
      advance(warp.stamp);
      const uint32_t first = thread.thread / 32 * 32;
      joinClocks(first, first + 32, warp.stamp);
    }
  } else if (wait.kind == STRETTO_EMULATED_ELECT) {
    forEachLane(mask, [&](uint32_t each) { warp.result[each] = each == elect(mask); });
  } else if (const int wrong = compute(warp, wait.kind, mask); wrong >= 0) {
    fail(laneOf(thread, wrong),
         fmt::format("it must read a lane of its mask 0x{:08x}, but reads another at {}", mask, describe(wait)));
  }
  release(thread);
  return warp.result[lane];
}

} // namespace stretto::emulator

extern "C" {
using namespace stretto::emulator;
[[gnu::visibility("default")]] uint64_t stretto_emulator_collective(stretto_emulated_thread *self,
                                                                    const stretto_emulated_wait *wait, uint32_t mask,
                                                                    uint32_t x, uint32_t y, uint32_t z) {
  Thread &thread = threadOf(self);
  return thread.owner->collective(thread, *wait, mask, x, y, z);
}
[[gnu::visibility("default")]] void stretto_emulator_barrier(stretto_emulated_thread *self,
                                                             const stretto_emulated_wait *wait) {
  Thread &thread = threadOf(self);
  thread.owner->barrier(thread, *wait);
}
}
