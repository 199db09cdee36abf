//===- ChunkRows.cpp - how many rows the chunks of a kernel have ------------===//
#include "codegen/cuda/ChunkRows.h"

#include "codegen/cuda/ChunkTime.h"
#include "codegen/cuda/Prefetch.h"
#include "codegen/cuda/RowWalk.h"

#include "llvm/Support/MathExtras.h"

using namespace stretto;
using namespace stretto::codegen;

constexpr int64_t wantedThreads = 1024; // of each multiprocessor, to have enough loads in flight
// Of the registers that threads may have, if there are as many blocks as asked for: an estimate that ptxas can keep to,
// and one that it surely can.
constexpr double keptShare = 1.125, sureShare = 0.85;
constexpr int64_t tileWaves = 2;       // of blocks that do not sum along rows: the last wave is seldom full
constexpr int64_t haloShare = 16;      // a chunk is so many times longer than what it reads of its neighbours
constexpr double leastSumShare = 0.01; // of the bytes of a row: smaller sums of a chunk do not count
constexpr double worthOther = 0.95;    // of the time, for which a chunk has more or fewer rows than fill the device
constexpr int64_t sumShare = 16;       // its data are so many times larger than its column sums

int64_t stretto::codegen::chunkByCount(const RowShape &shape, RowSharing sharing, int64_t mostRows,
                                       int64_t processors) {
  int64_t rowThreads = sharing.threads * shape.tiles(sharing), stepRows = sharing.rows;
  int64_t bySums = sumShare * shape.sumBytes / std::max<int64_t>(1, shape.rowBytes);
  int64_t want = std::max({haloShare * shape.halo, bySums, 4 * stepRows});
  int64_t fit = std::min(wantedThreads, processorRegisters / shape.registers(sharing));
  int64_t wanted = llvm::divideCeil((shape.mayTile() ? tileWaves : 1) * processors * fit, rowThreads);
  int64_t byCount = std::max<int64_t>(1, shape.batch * shape.time / wanted);
  auto toNearest = [](int64_t rows) { return rows * 4 / 3; }; // a power of two, when the largest below is taken
  int64_t limit = std::max(stepRows, std::min({toNearest(std::max(want, byCount)), int64_t(256), shape.time}));
  limit = std::min({limit, std::max({toNearest(byCount), 5 * shape.halo, stepRows}), std::max(stepRows, mostRows)});
  int64_t chosen = stepRows;
  while (chosen * 2 <= limit)
    chosen *= 2;
  return chosen;
}

/// A kernel of rows on multiprocessors that have as many blocks as it asks for, if ptxas can keep to their registers;
/// fewer where it cannot, more where they take less.
static ChunkedRows chunkedRows(const RowShape &shape, RowSharing sharing, int64_t processors) {
  int64_t group = sharing.threads, block = group * std::max<int64_t>(1, blockThreads / group);
  int64_t asked = residentRowBlocks(block), registers = shape.registers(sharing);
  // What is on its way early takes registers, too.
  int64_t taken = registers + (shape.reduces() || sharing.copies() ? 0 : mostRegistersAhead);
  double allowed = static_cast<double>(processorRegisters) / static_cast<double>(asked * block);
  int64_t fitting = std::min(processorThreads, processorRegisters / taken) / block;
  int64_t blocks = std::max(registers <= keptShare * allowed ? asked : 1, fitting);
  if (sharing.copies()) // other threads need not hide their ways
    allowed = std::max(allowed, static_cast<double>(processorRegisters) / static_cast<double>(blocks * block));
  int64_t rowThreads = group * shape.tiles(sharing);
  int64_t haloBytes = shape.rolling(sharing) * rowThreads * shape.streamed;
  return {shape.batch,     shape.time,     shape.rowBytes,
          haloBytes,       shape.sumBytes, sharing.rows,
          rowThreads,      blocks * block, taken <= sureShare * allowed,
          block,           processors,     shape.reduces(),
          sharing.copies()};
}

int64_t stretto::codegen::chooseChunk(const RowShape &shape, RowSharing sharing, int64_t mostRows, int64_t processors) {
  int64_t byCount = chunkByCount(shape, sharing, mostRows, processors), best = byCount;
  if (shape.halo == 0 && shape.sumBytes < leastSumShare * shape.rowBytes)
    return byCount;
  ChunkedRows kernel = chunkedRows(shape, sharing, processors);
  double least = timeOfChunks(kernel, byCount);
  for (int64_t each = sharing.rows; each <= std::min(shape.time, mostRows); each *= 2) {
    if (each > byCount && sharing.copies() && shape.mayTile())
      break; // tiles of unlike parts take unlike long, so that one wave of them leaves multiprocessors idle
    double time = each > byCount ? longestTimeOfChunks(kernel, each) : timeOfChunks(kernel, each);
    if (time >= worthOther * least)
      continue;
    best = each;
    least = time;
  }
  return best;
}
