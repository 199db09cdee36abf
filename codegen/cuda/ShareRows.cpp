//===- ShareRows.cpp - how the threads of a GPU share the rows of a kernel ----===//
#include "codegen/cuda/ShareRows.h"

#include "codegen/cuda/ChunkRows.h"
#include "codegen/cuda/ChunkTime.h"
#include "codegen/cuda/EstimatedGpu.h"
#include "codegen/cuda/LaunchRegisters.h"
#include "codegen/cuda/Prefetch.h"
#include "codegen/cuda/RowWalk.h"
#include "codegen/cuda/ScheduleOverride.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

constexpr int64_t mostRegisters = 128;       // of a thread: half the threads a multiprocessor can have
constexpr int64_t mostGroupThreads = 512;    // threads that meet at a barrier
constexpr int64_t mostRowRegisters = 176;    // of a thread that computes several rows of a step
constexpr int64_t bytesInFlight = 36 << 10;  // of a multiprocessor: bandwidth times latency, 4.8 TB/s * 1 us / 132
constexpr double spareRate = 1.3;            // of the bandwidth, as loads do not come evenly
constexpr int64_t usualRows = 4;             // of a step; more only where chunks stay long
constexpr int64_t leastSteps = 4;            // of a long chunk
constexpr int64_t copiedRows = 2;            // of a step, where rows come through shared memory
constexpr int64_t mostCopiedRegisters = 240; // of a thread then: few warps suffice
constexpr int64_t leastTurns = 4;            // that a chunk goes around the places for rows
constexpr int64_t idleShare = 16;            // one of so many threads may be idle so that more lie side by side
constexpr int64_t tileGroups[] = {256, 192, 128, 96, 64, 32, 16, 8, 4, 2, 1};

RowSharing SharingChooser::choose() const {
  RowSharing direct = throughRegisters();
  if (given.places) {
    direct.places = given.places;
    return direct;
  }
  return wantsPlaces(direct) ? throughPlaces(direct) : direct;
}

//===- Lanes and threads --------------------------------------------------------===//

/// One row of a step, with so many lanes unless others are given.
RowSharing SharingChooser::withLanes(int64_t lanes) const {
  RowSharing sharing{given.lanes ? given.lanes : lanes, 0};
  sharing.threads = given.threads ? given.threads : groupFor(sharing.lanes);
  return sharing;
}

/// Lanes of an access to the widest stream: were they more, an access of a warp would have gaps, and a store would fill
/// only half of each sector of 32 bytes.
int64_t SharingChooser::widestVector() const {
  return std::max(widestAccess / std::max(shape.streamed, shape.narrowest), leastLanes);
}

/// Shorter vectors where a thread has not registers enough for its columns, if that helps.
RowSharing SharingChooser::throughRegisters() const {
  RowSharing best{widestVector(), 0};
  int64_t least = INT64_MAX;
  for (int64_t each = best.lanes; each >= leastLanes; each /= 2) {
    RowSharing sharing = withLanes(each);
    int64_t most = std::min(mostRegisters, mostLaunchRegisters(sharing.threads)); // for one row of a step
    int64_t above = std::max<int64_t>(0, shape.registers(sharing) - most);
    if (above < least) {
      best = sharing;
      least = above;
    }
  }
  best.rows = given.rows ? given.rows : rowsFor(best);
  return best;
}

/// The whole of the parts that must meet, each in as few vectors of a thread as there are threads for; else the
/// largest group of which not many more threads of all parts are idle than of the one that leaves the fewest.
int64_t SharingChooser::groupFor(int64_t lanes) const {
  if (!shape.mayTile()) {
    int64_t widest = 1;
    for (const PartShape &part : shape.parts)
      widest = std::max(widest, part.mayTile ? 1 : part.vectors(lanes));
    return wholeGroup(llvm::divideCeil(widest, llvm::divideCeil(widest, mostGroupThreads)));
  }
  auto threadsOf = [&](int64_t group) { return shape.tiles({lanes, group}) * group; };
  int64_t most = threadsOf(1) + threadsOf(1) / idleShare;
  return *llvm::find_if(tileGroups, [&](int64_t group) { return threadsOf(group) <= most; });
}

//===- Rows ---------------------------------------------------------------------===//

/// As few rows as bring enough bytes on their way from memory while a multiprocessor waits, and as ask for enough of
/// them while it waits and computes, if registers allow; more where values stay in registers for more rows than a
/// step has, and would be moved there, as far as two blocks of 256 threads have registers. One in f64, whose
/// functions take dozens of registers for each row.
int64_t SharingChooser::rowsFor(RowSharing sharing) const {
  int64_t block = std::max(sharing.threads, blockThreads), best = 1;
  double most = 0;
  bool suffice = false;
  for (int64_t count : {1, 2, 4, 8}) {
    sharing.rows = count;
    int64_t registers = shape.registers(sharing);
    int64_t limit = suffice ? mostRegisters : std::min(mostRowRegisters, mostLaunchRegisters(block) - spareRegisters);
    bool isTooMuch = shape.widest > 4 || registers > limit || (suffice && best > shape.longest(sharing));
    if (count > 1 && (isTooMuch || (count > usualRows && !fillsChunks(sharing, leastSteps))))
      break;
    double bytes = bytesOnTheirWay(sharing);
    if (suffice || bytes > most)
      best = count;
    most = std::max(most, bytes);
    suffice = areEnough(sharing, most);
  }
  return best;
}

/// Of a multiprocessor.
double SharingChooser::bytesOnTheirWay(RowSharing sharing) const {
  int64_t block = std::max(sharing.threads, blockThreads);
  int64_t resident = std::min(processorThreads, processorRegisters / shape.registers(sharing)) / block * block;
  return static_cast<double>(resident * shape.loadedBytes(sharing));
}

bool SharingChooser::areEnough(RowSharing sharing, double bytes) const {
  return bytes >= bytesInFlight && bytes / timeOfStep(sharing.rows, shape.reduces()) >= wantedRate(sharing);
}

/// Bytes of a nanosecond that a multiprocessor must load to take its part of the bandwidth.
double SharingChooser::wantedRate(RowSharing sharing) const {
  sharing.rows = 1;
  double loaded = shape.loadedBytes(sharing) * sharing.threads * shape.tiles(sharing);
  return spareRate * std::min(1.0, loaded / shape.rowBytes) * bytesOfNanosecond / processors;
}

/// Whether chunks that are as many as fill the device have so many steps.
bool SharingChooser::fillsChunks(RowSharing sharing, int64_t steps) const {
  return chunkByCount(shape, sharing, INT64_MAX, processors) >= steps * sharing.rows;
}

//===- Places -------------------------------------------------------------------===//

/// Whether rows go through shared memory where that is possible: registers hold too few of them on their way, or long
/// arithmetic lies between the loads, as that of gradients of taps. Not where a part of a row sums along rows beside
/// others: its threads would meet for fewer rows at a time.
bool SharingChooser::wantsPlaces(RowSharing sharing) const {
  bool addsTaps = shape.halo > 0 && shape.sumBytes > 0;
  return (shape.parts.size() == 1 || shape.mayTile()) && (addsTaps || !areEnough(sharing, bytesOnTheirWay(sharing)));
}

/// Fewer rows of a step, as they are on their way for some, in the widest vectors for which there are registers and
/// room; `otherwise` where there are for none.
RowSharing SharingChooser::throughPlaces(RowSharing otherwise) const {
  for (int64_t each = widestVector(); each >= otherwise.lanes; each /= 2) {
    RowSharing sharing = withLanes(each);
    sharing.rows = given.rows ? given.rows : copiedRows;
    sharing.places = usualPlaces;
    if (fitsPlaces(sharing))
      return sharing;
  }
  return otherwise;
}

/// Whether a thread has registers, a multiprocessor shared memory for two blocks, and chunks go around the ring some
/// times.
bool SharingChooser::fitsPlaces(RowSharing sharing) const {
  int64_t block = sharing.threads * std::max<int64_t>(1, blockThreads / sharing.threads);
  int64_t bytes = sharing.places * block * shape.fetchedBytes(sharing) + (shape.mayTile() ? 0 : mostSharedBytes);
  return shape.registers(sharing) <= std::min(mostCopiedRegisters, mostLaunchRegisters(block)) &&
         2 * bytes <= sharedOfBlock && fillsChunks(sharing, leastTurns * sharing.places);
}
