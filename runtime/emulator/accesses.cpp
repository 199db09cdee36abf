// What is checked of each access to memory.
#include "runtime/emulator/accesses.h"

#include <algorithm>
#include <fmt/format.h>

namespace stretto::emulator {
namespace {

std::string describe(const Thread &thread, AccessKind kind, uint32_t bytes, const stretto_emulated_access &access) {
  const char *place = thread.owner->launch->text(access.place);
  return fmt::format("{} of {} bytes{}{}", kind == AccessKind::read ? "read" : "write", bytes, *place ? " at " : "",
                     place);
}

// How far outside of [begin, begin + size) an access lies.
std::string howFar(uintptr_t address, uint32_t bytes, uintptr_t begin, int64_t size) {
  if (address < begin)
    return fmt::format("starts {} bytes before", begin - address);
  return fmt::format("ends {} bytes behind", address + bytes - begin - size);
}

uintptr_t distance(uintptr_t address, const Buffer &buffer) {
  return address < buffer.begin                  ? buffer.begin - address
         : address < buffer.begin + buffer.bytes ? 0
                                                 : address - buffer.begin - buffer.bytes;
}

bool contains(uintptr_t begin, int64_t size, uintptr_t address, uint32_t bytes) {
  const uint64_t offset = address - begin;
  return offset <= static_cast<uint64_t>(size) && offset + bytes <= static_cast<uint64_t>(size);
}

[[gnu::noinline]] void failOutside(Thread &thread, AccessKind kind, uintptr_t address, uint32_t bytes,
                                   const stretto_emulated_access &access) {
  Block &block = *thread.owner;
  const std::vector<Buffer> &buffers = block.launch->buffers;
  size_t number = access.object;
  if (access.object < 0) {
    number = 0;
    for (size_t i = 1; i < buffers.size(); ++i)
      if (distance(address, buffers[i]) < distance(address, buffers[number]))
        number = i;
  }
  if (buffers.empty())
    block.fail(thread, fmt::format("{}: the kernel has no buffers", describe(thread, kind, bytes, access)));
  const Buffer &buffer = buffers[number];
  block.fail(thread, fmt::format("{} {} buffer {} of {} bytes", describe(thread, kind, bytes, access),
                                 howFar(address, bytes, buffer.begin, buffer.bytes), number, buffer.bytes));
}

[[gnu::noinline]] void failMisaligned(Thread &thread, AccessKind kind, uintptr_t address,
                                      const stretto_emulated_access &access) {
  thread.owner->fail(thread, fmt::format("{} must be aligned to {} bytes, but lies {} bytes behind such a place",
                                         describe(thread, kind, access.bytes, access), access.alignment,
                                         address % access.alignment));
}

std::string describeBackground(uint32_t who) {
  if (who >= firstStores)
    return "a bulk copy out of it, which has not been awaited,";
  if (who >= firstCopies)
    return "a bulk copy";
  return fmt::format("a matmul of warpgroup {}, which has not been awaited,", who - firstBackground);
}

std::string describeActor(Record record, const Actor &actor) {
  const uint32_t who = whoOf(record);
  if (blockOf(record) == manyBlocks)
    return "several blocks";
  const std::string of = blockOf(record) == actor.block ? "" : fmt::format(" of block number {}", blockOf(record));
  if (who < mostThreads)
    return fmt::format("thread {}{}", who, of);
  if (isInBackground(record))
    return describeBackground(who);
  return fmt::format("several threads{}", of);
}

[[gnu::noinline]] void failRace(Thread &thread, AccessKind kind, AccessKind earlier, Record record, const char *memory,
                                uint64_t offset, const stretto_emulated_access &access) {
  Block &block = *thread.owner;
  block.fail(thread,
             fmt::format("race: {}, {} {} on, which {} has {} with no barrier in between",
                         describe(thread, kind, access.bytes, access), memory, offset,
                         describeActor(record, block.actor(thread)), earlier == AccessKind::read ? "read" : "written"));
}

[[gnu::noinline]] void failUnfenced(Thread &thread, AccessKind kind, Record record, uint64_t offset,
                                    const stretto_emulated_access &access) {
  thread.owner->fail(thread,
                     fmt::format("{} by the asynchronous proxy of shared memory from byte {} on, which thread {} has "
                                 "written with no fence.proxy.async in between",
                                 describe(thread, kind, access.bytes, access), offset, whoOf(record)));
}

const Buffer *findBuffer(const Launch &launch, uintptr_t address, uint32_t bytes,
                         const stretto_emulated_access &access) {
  if (access.object >= 0) {
    const Buffer &buffer = launch.buffers[access.object];
    return contains(buffer.begin, buffer.bytes, address, bytes) ? &buffer : nullptr;
  }
  for (const Buffer &buffer : launch.buffers)
    if (contains(buffer.begin, buffer.bytes, address, bytes))
      return &buffer;
  return nullptr;
}

// Blocks of one launch run on several host threads. Two that touch a cell at the same instant may miss each other.
Record load(const Record &record) { return __atomic_load_n(&record, __ATOMIC_RELAXED); }
void store(Record &record, Record value) { __atomic_store_n(&record, value, __ATOMIC_RELAXED); }

void recordGlobal(Thread &thread, AccessKind kind, uintptr_t address, uint32_t bytes, const Buffer &buffer,
                  const stretto_emulated_access &access) {
  const Launch &launch = *thread.owner->launch;
  const Actor actor = thread.owner->actor(thread);
  const Record mine = actor.record();
  auto race = [&](AccessKind earlier, Record record) {
    failRace(thread, kind, earlier, record, fmt::format("buffer {} from byte", &buffer - launch.buffers.data()).c_str(),
             address - buffer.begin, access);
  };
  for (uint32_t r = buffer.firstRegion; r < buffer.endRegion; ++r) {
    const Region &region = launch.regions[r];
    const uintptr_t first = std::max(address, region.begin), behind = std::min(address + bytes, region.end);
    if (first >= behind)
      continue;
    Cell *cell = &region.cells[(first - region.begin) >> launch.granuleShift];
    Cell *const end = &region.cells[(behind - 1 - region.begin) >> launch.granuleShift];
    for (; cell <= end; ++cell) {
      const Record write = load(cell->write), read = load(cell->read);
      if (write && write != mine && !isOrdered(write, actor))
        race(AccessKind::write, write);
      if (kind == AccessKind::read) {
        if (read != mine)
          store(cell->read, addReader(read, actor));
        continue;
      }
      if (read && read != mine && !isOrdered(read, actor))
        race(AccessKind::read, read);
      store(cell->write, mine);
    }
  }
}

// A copy that has not been awaited may still read.
void checkSources(Thread &thread, uintptr_t address, uint32_t bytes, const stretto_emulated_access &access) {
  for (const AsyncCopy &copy : thread.copies) {
    const uintptr_t from = reinterpret_cast<uintptr_t>(copy.from);
    if (address < from + copy.sourceBytes && from < address + bytes)
      thread.owner->fail(thread,
                         fmt::format("{}, from where an asynchronous copy of the thread, which it has not waited "
                                     "for, reads",
                                     describe(thread, AccessKind::write, bytes, access)));
  }
}

struct SharedCells {
  Cell *begin, *end;
};

SharedCells cellsOf(const Block &block, const void *address, uint32_t bytes) {
  const uint64_t offset = static_cast<const char *>(address) - block.shared;
  const uint32_t shift = block.launch->granuleShift;
  return {block.sharedCells + (offset >> shift), block.sharedCells + ((offset + bytes - 1) >> shift) + 1};
}

uint64_t offsetIn(const Block &block, const void *address) { return static_cast<const char *>(address) - block.shared; }

} // namespace

void checkGlobal(Thread &thread, AccessKind kind, const void *pointer, uint32_t bytes,
                 const stretto_emulated_access &access) {
  Block &block = *thread.owner;
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  const Buffer *buffer = findBuffer(*block.launch, address, bytes, access);
  if (!buffer) [[unlikely]]
    return failOutside(thread, kind, address, bytes, access);
  if (address & (access.alignment - 1)) [[unlikely]]
    return failMisaligned(thread, kind, address, access);
  if (kind == AccessKind::write)
    checkSources(thread, address, bytes, access);
  if (buffer->firstRegion != buffer->endRegion)
    recordGlobal(thread, kind, address, bytes, *buffer, access);
}

void checkSharedPlace(Thread &thread, AccessKind kind, const void *pointer, const stretto_emulated_access &access) {
  checkSharedPlace(thread, *thread.owner, kind, pointer, access);
}

void checkSharedPlace(Thread &thread, const Block &memory, AccessKind kind, const void *pointer,
                      const stretto_emulated_access &access) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  const bool isKnown = access.object >= 0;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(memory.shared) + (isKnown ? access.object : 0);
  const int64_t size = isKnown ? access.object_bytes : memory.launch->kernel.shared_bytes;
  if (!contains(begin, size, address, access.bytes)) [[unlikely]]
    thread.owner->fail(thread, fmt::format("{} {} the {} of {} bytes", describe(thread, kind, access.bytes, access),
                                           howFar(address, access.bytes, begin, size),
                                           isKnown ? "shared variable" : "shared memory", size));
  if (address & (access.alignment - 1)) [[unlikely]]
    failMisaligned(thread, kind, address, access);
}

void recordShared(Thread &thread, AccessKind kind, const void *pointer, const stretto_emulated_access &access) {
  recordShared(thread, *thread.owner, thread.owner->actor(thread), kind, pointer, access);
}

void recordShared(Thread &thread, Block &memory, const Actor &actor, AccessKind kind, const void *pointer,
                  const stretto_emulated_access &access) {
  Block &block = *thread.owner;
  const Record mine = actor.record();
  auto [cell, end] = cellsOf(memory, pointer, access.bytes);
  for (; cell != end; ++cell) {
    const bool isWritten = memory.isOfCluster(cell->write);
    if (!isWritten && kind == AccessKind::read) [[unlikely]]
      block.fail(thread, fmt::format("{} of shared memory from byte {} on, which the block has not written",
                                     describe(thread, kind, access.bytes, access), offsetIn(memory, pointer)));
    if (isWritten && whoOf(cell->write) == barrierObject) [[unlikely]]
      block.fail(thread, fmt::format("{} of shared memory from byte {} on, where an mbarrier lies",
                                     describe(thread, kind, access.bytes, access), offsetIn(memory, pointer)));
    if (isWritten && whoOf(cell->write) == pendingCopy) [[unlikely]]
      block.fail(thread,
                 fmt::format("{} of shared memory from byte {} on, whose asynchronous copy nobody has waited for",
                             describe(thread, kind, access.bytes, access), offsetIn(memory, pointer)));
    if (isWritten && cell->write != mine && !isOrdered(cell->write, actor)) [[unlikely]]
      failRace(thread, kind, AccessKind::write, cell->write, "shared memory from byte", offsetIn(memory, pointer),
               access);
    if (isWritten && actor.isAsynchronous && whoOf(cell->write) < mostThreads &&
        !actor.clock->isFenced(memory.rankOf(cell->write), whoOf(cell->write), stampOf(cell->write))) [[unlikely]]
      failUnfenced(thread, kind, cell->write, offsetIn(memory, pointer), access);
    const bool isRead = memory.isOfCluster(cell->read);
    if (kind == AccessKind::read) {
      if (cell->read != mine)
        cell->read = memory.readers.add(isRead ? cell->read : 0, actor);
      continue;
    }
    if (Record other; isRead && cell->read != mine && !memory.readers.areOrdered(cell->read, actor, other)) [[unlikely]]
      failRace(thread, kind, AccessKind::read, other, "shared memory from byte", offsetIn(memory, pointer), access);
    if (isRead)
      memory.readers.forget(cell->read);
    cell->write = mine;
  }
}

// A write of the thread, whose granules say of what kind it is instead of whose.
static void recordAs(uint32_t kind, Thread &thread, Block &memory, const Actor &actor, const void *pointer,
                     const stretto_emulated_access &access) {
  recordShared(thread, memory, actor, AccessKind::write, pointer, access);
  for (auto [cell, end] = cellsOf(memory, pointer, access.bytes); cell != end; ++cell)
    cell->write = makeRecord(actor.block, kind, actor.stamp);
}

void recordPending(Thread &thread, const void *pointer, const stretto_emulated_access &access) {
  recordPending(thread, *thread.owner, thread.owner->actor(thread), pointer, access);
}

void recordPending(Thread &thread, Block &memory, const Actor &actor, const void *pointer,
                   const stretto_emulated_access &access) {
  recordAs(pendingCopy, thread, memory, actor, pointer, access);
}

void recordBarrier(Thread &thread, const void *pointer, const stretto_emulated_access &access) {
  recordAs(barrierObject, thread, *thread.owner, thread.owner->actor(thread), pointer, access);
}

void recordLanded(Thread &thread, const void *pointer, uint32_t bytes) {
  recordLanded(*thread.owner, thread.owner->actor(thread).record(), pointer, bytes);
}

void recordLanded(Block &block, Record record, const void *pointer, uint32_t bytes) {
  for (auto [cell, end] = cellsOf(block, pointer, bytes); cell != end; ++cell)
    cell->write = record;
}

static void accessShared(Thread &thread, AccessKind kind, const void *pointer, const stretto_emulated_access &access) {
  checkSharedPlace(thread, kind, pointer, access);
  recordShared(thread, kind, pointer, access);
}

// Of any block of the cluster.
static void accessCluster(Thread &thread, AccessKind kind, const void *pointer, const stretto_emulated_access &access) {
  Block &block = *thread.owner;
  Block &memory =
      block.reach(thread, pointer, access.place, [&] { return describe(thread, kind, access.bytes, access); });
  if (block.checks == STRETTO_EMULATOR_CHECKS_NONE)
    return;
  checkSharedPlace(thread, memory, kind, pointer, access);
  recordShared(thread, memory, block.actor(thread), kind, pointer, access);
}

} // namespace stretto::emulator

extern "C" {
using namespace stretto::emulator;

[[gnu::visibility("default")]] uint64_t stretto_emulator_shared_address(stretto_emulated_thread *self,
                                                                        const void *address) {
  return static_cast<const char *>(address) - threadOf(self).owner->sharedWindow;
}

[[gnu::visibility("default")]] void stretto_emulator_read_global(stretto_emulated_thread *self, const void *address,
                                                                 const stretto_emulated_access *access) {
  if (Thread &thread = threadOf(self); thread.owner->checks != STRETTO_EMULATOR_CHECKS_NONE)
    checkGlobal(thread, AccessKind::read, address, access->bytes, *access);
}

[[gnu::visibility("default")]] void stretto_emulator_write_global(stretto_emulated_thread *self, const void *address,
                                                                  const stretto_emulated_access *access) {
  if (Thread &thread = threadOf(self); thread.owner->checks != STRETTO_EMULATOR_CHECKS_NONE)
    checkGlobal(thread, AccessKind::write, address, access->bytes, *access);
}

[[gnu::visibility("default")]] void stretto_emulator_read_shared(stretto_emulated_thread *self, const void *address,
                                                                 const stretto_emulated_access *access) {
  if (Thread &thread = threadOf(self); thread.owner->checks != STRETTO_EMULATOR_CHECKS_NONE)
    accessShared(thread, AccessKind::read, address, *access);
}

[[gnu::visibility("default")]] void stretto_emulator_write_shared(stretto_emulated_thread *self, const void *address,
                                                                  const stretto_emulated_access *access) {
  if (Thread &thread = threadOf(self); thread.owner->checks != STRETTO_EMULATOR_CHECKS_NONE)
    accessShared(thread, AccessKind::write, address, *access);
}

[[gnu::visibility("default")]] void stretto_emulator_read_cluster(stretto_emulated_thread *self, const void *address,
                                                                  const stretto_emulated_access *access) {
  accessCluster(threadOf(self), AccessKind::read, address, *access);
}

[[gnu::visibility("default")]] void stretto_emulator_write_cluster(stretto_emulated_thread *self, const void *address,
                                                                   const stretto_emulated_access *access) {
  accessCluster(threadOf(self), AccessKind::write, address, *access);
}

[[gnu::visibility("default")]] void *stretto_emulator_map_shared(stretto_emulated_thread *self,
                                                                 const stretto_emulated_wait *wait, const void *address,
                                                                 uint32_t block) {
  Thread &thread = threadOf(self);
  const Block &own = *thread.owner;
  if (block >= own.peers().size())
    thread.owner->fail(thread, fmt::format("{}: a cluster has the blocks 0 to {}, but got {}", own.describe(*wait),
                                           own.peers().size() - 1, static_cast<int32_t>(block)));
  return own.peers()[block]->shared + offsetIn(own, address);
}
}
