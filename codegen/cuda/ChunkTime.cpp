//===- ChunkTime.cpp - what a kernel of rows takes, by the length of its chunks -===//
#include "codegen/cuda/ChunkTime.h"

#include "codegen/cuda/matmul/MatmulTime.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace stretto;
using namespace stretto::codegen;

// Of an H200, in nanoseconds; fitted to what bench/gpu/estimate.py says of norms, Canon and their backwards.
static constexpr double trip = 700;         // to memory and back, once in a step
static constexpr double ofRow = 25;         // of a step: its instructions
static constexpr double ofMeetingRow = 175; // and its sum, for which threads meet
static constexpr double leastTime = 2500;   // of any kernel
// Rows of a halo come from the second-level cache, which delivers twice as much as memory.
static constexpr double haloShare = 0.5;
// Where not all chunks run at the same time, the last ones find few others beside them: about so much of one more.
static constexpr double lastShare = 0.25;

/// Of chunks that take `ofChunk` from start to end, and move so much together. `waves`: how often they fill the GPU.
static double timeOfWaves(double waves, double moving, double ofChunk) {
  return waves <= 1 ? std::max(moving, ofChunk) : std::max(moving, waves * ofChunk) + lastShare * ofChunk;
}

double stretto::codegen::timeOfChunks(const ChunkedRows &kernel, int64_t chunkRows) {
  auto chunks = static_cast<double>(kernel.batch * llvm::divideCeil(kernel.time, chunkRows));
  double sums = chunks * kernel.sumBytes / bytesOfNanosecond;
  double rows = kernel.batch * kernel.time * kernel.rowBytes + haloShare * chunks * kernel.haloBytes;
  double ofStep = trip + kernel.stepRows * (kernel.meets ? ofMeetingRow : ofRow);
  int64_t steps = llvm::divideCeil(chunkRows, kernel.stepRows) + 1; // the first one for the rows in front of the chunk
  double waves = chunks * kernel.rowThreads / static_cast<double>(kernel.processors * kernel.residentThreads);
  double walking = timeOfWaves(waves, rows / bytesOfNanosecond + sums, static_cast<double>(steps) * ofStep);
  return std::max(leastTime, walking) + sums;
}
