// Bulk tensor copies into shared memory, which mbarriers wait for.
#include "runtime/emulator/box_copies.h"

#include "runtime/emulator/accesses.h"

#include <cstring>
#include <fmt/format.h>

namespace stretto::emulator {

const TensorMap &findMap(Thread &thread, const stretto_emulated_wait &wait, const void *pointer, uint32_t rank) {
  Block &block = *thread.owner;
  for (const TensorMap &map : block.launch->maps)
    if (&map == pointer) {
      if (static_cast<uint32_t>(map.shape.rank) != rank)
        block.fail(thread, fmt::format("{}: a tensor of {} dimensions must have as many coordinates, but got {}",
                                       block.describe(wait), map.shape.rank, rank));
      return map;
    }
  block.fail(thread, fmt::format("{}: it must name one of the {} tensor maps of the kernel", block.describe(wait),
                                 block.launch->maps.size()));
}

// Reads of the tensor, and a write of shared memory that has not landed.
static void checkCopy(Thread &thread, Block &memory, const BoxCopy &copy, const stretto_emulated_access &access) {
  stretto_emulated_access write = access;
  write.bytes = copy.map->boxBytes();
  checkSharedPlace(thread, memory, AccessKind::write, copy.to, write);
  Actor actor = thread.owner->actor(thread);
  actor.isAsynchronous = true;
  recordPending(thread, memory, actor, copy.to, write);
  const stretto_emulated_access read = {access.place, 0, 1, static_cast<int32_t>(copy.map->shape.buffer), 0};
  copy.map->forEachRow(
      copy.from, [&](const char *row, uint32_t bytes) { checkGlobal(thread, AccessKind::read, row, bytes, read); });
}

// Into the same place of a block of the cluster as in the thread's own.
static void copyInto(Thread &thread, const stretto_emulated_wait &wait, Block &memory, BoxCopy copy,
                     const char *mbarrier, const stretto_emulated_access &access) {
  Block &own = *thread.owner;
  if (memory.hasEnded())
    own.fail(thread,
             fmt::format("{}: all threads of {}, which it copies to, have ended", own.describe(wait), memory.name()));
  copy.to = memory.shared + (copy.to - own.shared);
  if (own.checks != STRETTO_EMULATOR_CHECKS_NONE)
    checkCopy(thread, memory, copy, access);
  std::memset(copy.to, 0xff, copy.map->boxBytes());
  memory.mbarriers.copy(thread, wait, memory.shared + (mbarrier - own.shared), copy);
}

static void checkMask(Thread &thread, const stretto_emulated_wait &wait, uint32_t blocks) {
  const uint32_t count = thread.owner->peers().size();
  if (blocks == 0 || blocks >> count)
    thread.owner->fail(thread, fmt::format("{}: its mask must name some of the blocks 0 to {} of the cluster, but is "
                                           "0x{:x}",
                                           thread.owner->describe(wait), count - 1, blocks));
}

} // namespace stretto::emulator

extern "C" {
using namespace stretto::emulator;

[[gnu::visibility("default")]] void stretto_emulator_copy_box(stretto_emulated_thread *self,
                                                              const stretto_emulated_wait *wait, void *to,
                                                              const void *map, const void *mbarrier,
                                                              const int32_t *coordinates, uint32_t count,
                                                              uint32_t blocks, const stretto_emulated_access *access) {
  Thread &thread = threadOf(self);
  BoxCopy copy{static_cast<char *>(to), &findMap(thread, *wait, map, count), {}};
  std::copy(coordinates, coordinates + count, copy.from.begin());
  if (blocks == STRETTO_EMULATED_OWN_BLOCK)
    blocks = 1u << thread.owner->rank();
  checkMask(thread, *wait, blocks);
  for (Block *block : thread.owner->peers())
    if (blocks >> block->rank() & 1)
      copyInto(thread, *wait, *block, copy, static_cast<const char *>(mbarrier), *access);
}

[[gnu::visibility("default")]] void stretto_emulator_fence_mbarriers(stretto_emulated_thread *self) {
  Thread &thread = threadOf(self);
  thread.owner->mbarriers.release(thread);
}
}
