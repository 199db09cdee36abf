// What is checked of each access to memory.
#pragma once

#include "runtime/emulator/block.h"

namespace stretto::emulator {

enum class AccessKind { read, write };

// Of the buffers of the launch. `bytes` may be less than the access says.
void checkGlobal(Thread &thread, AccessKind kind, const void *address, uint32_t bytes,
                 const stretto_emulated_access &access);

// Of the block's shared memory: the place and the alignment; then whether that memory may be touched, and that it was.
void checkSharedPlace(Thread &thread, AccessKind kind, const void *address, const stretto_emulated_access &access);
void recordShared(Thread &thread, AccessKind kind, const void *address, const stretto_emulated_access &access);
// The same of a block of the cluster, and for an actor other than the thread, which stands for it.
void checkSharedPlace(Thread &thread, const Block &memory, AccessKind kind, const void *address,
                      const stretto_emulated_access &access);
void recordShared(Thread &thread, Block &memory, const Actor &actor, AccessKind kind, const void *address,
                  const stretto_emulated_access &access);
// From now on a copy that has not landed writes there.
void recordPending(Thread &thread, const void *address, const stretto_emulated_access &access);
void recordPending(Thread &thread, Block &memory, const Actor &actor, const void *address,
                   const stretto_emulated_access &access);
// It has landed, as a write of the thread or of this record.
void recordLanded(Thread &thread, const void *address, uint32_t bytes);
void recordLanded(Block &block, Record record, const void *address, uint32_t bytes);
// From now on an mbarrier lies there, which the thread has initialised.
void recordBarrier(Thread &thread, const void *address, const stretto_emulated_access &access);

} // namespace stretto::emulator
