// Who touched a piece of memory last, and whether that is in order with what touches it now.
//
// Time is counted in stamps: within a block one counter that every synchronisation advances. A thread's stamp is that
// of its last synchronisation, so an access with stamp s of another thread comes before everything that follows a
// barrier of stamp b > s which both passed. Where parts of a block wait for each other, each thread has a clock, too.
// Blocks are in order with each other only through clocks, in a cluster, whose blocks count stamps together.
#pragma once

#include "runtime/emulator/clock.h"

#include <algorithm>
#include <cstdint>

namespace stretto::emulator {

// block (24 bits), who (12 bits), stamp (28 bits, at least 1). 0: nobody.
using Record = uint64_t;

inline constexpr uint32_t manyInWarp = 2000;
inline constexpr uint32_t readerList = 2044;    // the stamp is the number of a list (readers.h)
inline constexpr uint32_t barrierObject = 2045; // an mbarrier lies there
inline constexpr uint32_t pendingCopy = 2046, manyInBlock = 2047;
inline constexpr uint32_t manyBlocks = (1 << 24) - 1; // also how many blocks a grid may have
inline constexpr uint32_t mostStamps = (1 << 28) - 1;

inline Record makeRecord(uint32_t block, uint32_t who, uint32_t stamp) {
  return Record(block) << 40 | Record(who) << 28 | stamp;
}
inline uint32_t blockOf(Record record) { return record >> 40; }
inline uint32_t whoOf(Record record) { return record >> 28 & 0xfff; }
inline uint32_t stampOf(Record record) { return record & mostStamps; }
// The warp of one thread or of several of one warp; 32 or more for others.
inline uint32_t warpOf(Record record) {
  const uint32_t who = whoOf(record);
  return who < mostThreads ? who / 32 : who - manyInWarp < 32 ? who - manyInWarp : 32;
}

// A barrier does not wait for those.
inline bool isInBackground(Record record) { return whoOf(record) - firstBackground < backgroundCount; }

// A thread, or somebody in the background, at a moment.
struct Actor {
  uint32_t block, thread;
  uint32_t blockStamp, warpStamp; // of the last barrier of the block, of the last synchronisation of the warp or block
  uint32_t stamp;                 // of its last synchronisation of any kind
  const Clock *clock;
  uint32_t firstBlock;         // of its cluster
  bool isAsynchronous = false; // whether it goes through the asynchronous proxy
  Record record() const { return makeRecord(block, thread, stamp); }
};

// Whether what `record` says (somebody's) happened before anything the actor does now.
inline bool isOrdered(Record record, const Actor &actor) {
  if (blockOf(record) != actor.block)
    return actor.clock->knows(blockOf(record) - actor.firstBlock, whoOf(record), stampOf(record));
  if (whoOf(record) == actor.thread || (stampOf(record) < actor.blockStamp && !isInBackground(record)))
    return true;
  if (warpOf(record) == actor.thread / 32 && stampOf(record) < actor.warpStamp)
    return true;
  return actor.clock->knows(actor.block - actor.firstBlock, whoOf(record), stampOf(record));
}

// What to remember of readers when one more comes.
inline Record addReader(Record readers, const Actor &actor) {
  const Record mine = actor.record();
  if (readers == 0 || isOrdered(readers, actor))
    return mine;
  if (blockOf(readers) != actor.block)
    return makeRecord(manyBlocks, manyInBlock, 1);
  const bool sameWarp = warpOf(readers) == actor.thread / 32;
  return makeRecord(actor.block, sameWarp ? manyInWarp + actor.thread / 32 : manyInBlock,
                    std::max(stampOf(readers), actor.stamp));
}

// Of one granule of memory.
struct Cell {
  Record write, read;
};

} // namespace stretto::emulator
