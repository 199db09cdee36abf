//===- ChunkTime.cpp - what a kernel of rows takes, by the length of its chunks -===//
#include "codegen/cuda/ChunkTime.h"

#include "codegen/cuda/EstimatedGpu.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace stretto;
using namespace stretto::codegen;

// Of an H200, in nanoseconds: a trip as norms, Canon and their backwards took it there, the rest as
// bench/gpu/estimate.py says.
static constexpr double trip = 1100;        // to a busy memory and back, once in a step
static constexpr double ofRow = 25;         // of a step: its instructions
static constexpr double ofMeetingRow = 175; // and its sum, for which threads meet
// Of a step whose rows are in shared memory: norms and Canon, backward, with steps of one and of two rows and one block
// on each multiprocessor; and of a row of it, of the backward of Canon B.
static constexpr double ofCopiedStep = 280, ofCopiedRow = 125;
static constexpr double leastTime = 2500; // of any kernel
// Rows of a halo come from the second-level cache, which delivers twice as much as memory.
static constexpr double haloShare = 0.5;
// Where not all chunks run at the same time, the last ones find few others beside them: about so much of one more.
static constexpr double lastShare = 0.25;
// How much longer steps may take than estimated, where the registers are sure and where not.
static constexpr double sureMargin = 1.1, unsureMargin = 2;

double stretto::codegen::timeOfStep(int64_t rows, bool meets, bool copies) {
  double eachRow = meets ? ofMeetingRow : copies ? ofCopiedRow : ofRow;
  return (copies ? ofCopiedStep : trip) + rows * eachRow;
}

static double chunksOf(const ChunkedRows &kernel, int64_t chunkRows) {
  return static_cast<double>(kernel.batch * llvm::divideCeil(kernel.time, chunkRows));
}

static double timeOfSums(const ChunkedRows &kernel, double chunks) {
  return chunks * kernel.sumBytes / bytesOfNanosecond;
}

static double timeOfBytes(const ChunkedRows &kernel, double chunks) {
  double rows = kernel.batch * kernel.time * kernel.rowBytes + haloShare * chunks * kernel.haloBytes;
  return rows / bytesOfNanosecond + timeOfSums(kernel, chunks);
}

/// The steps of a chunk, and one for the rows in front of it; the first rows have not been on their way.
static double timeOfSteps(const ChunkedRows &kernel, int64_t chunkRows) {
  return (kernel.copies ? trip : 0) + static_cast<double>(llvm::divideCeil(chunkRows, kernel.stepRows) + 1) *
                                          timeOfStep(kernel.stepRows, kernel.meets, kernel.copies);
}

/// How often chunks fill the GPU, if a multiprocessor has so many threads at a time.
static double wavesOf(const ChunkedRows &kernel, double chunks, int64_t threads) {
  return chunks * kernel.rowThreads / static_cast<double>(kernel.processors * threads);
}

/// Where a multiprocessor has so many threads at a time, and steps take `margin` times as long as estimated.
static double timeWith(const ChunkedRows &kernel, int64_t chunkRows, int64_t threads, double margin) {
  double chunks = chunksOf(kernel, chunkRows), bytes = timeOfBytes(kernel, chunks);
  double steps = margin * timeOfSteps(kernel, chunkRows), waves = wavesOf(kernel, chunks, threads);
  double walking = waves <= 1 ? std::max(bytes, steps) : std::max(bytes, waves * steps) + lastShare * steps;
  return std::max(leastTime, walking) + timeOfSums(kernel, chunks);
}

double stretto::codegen::timeOfChunks(const ChunkedRows &kernel, int64_t chunkRows) {
  return timeWith(kernel, chunkRows, kernel.residentThreads, 1);
}

double stretto::codegen::longestTimeOfChunks(const ChunkedRows &kernel, int64_t chunkRows) {
  int64_t threads = kernel.residentThreads - (kernel.isSure ? 0 : kernel.blockThreads);
  return timeWith(kernel, chunkRows, threads, kernel.isSure ? sureMargin : unsureMargin);
}
