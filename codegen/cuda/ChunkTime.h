//===- ChunkTime.h - what a kernel of rows takes, by the length of its chunks ---===//
#pragma once

#include <cstdint>

namespace stretto::codegen {

/// A kernel whose groups of threads walk over chunks of rows, and the GPU that it runs on.
struct ChunkedRows {
  int64_t batch, time;     // sequences, rows of each
  int64_t rowBytes;        // that are moved for a row
  int64_t haloBytes;       // of the rows beside a chunk that are read with it
  int64_t sumBytes;        // of the column sums of a chunk
  int64_t stepRows;        // that are loaded together
  int64_t rowThreads;      // of all groups that share a chunk
  int64_t residentThreads; // that a multiprocessor has at a time
  bool isSure;             // whether of these: else there may be a block less, and steps may take longer
  int64_t blockThreads;    // of a block
  int64_t processors;
  bool meets;  // whether threads wait for each other in each step
  bool copies; // whether rows come through shared memory, some steps ahead
};

/// Nanoseconds from the loads of a step of so many rows to those of the next one; `meets` and `copies` as above.
double timeOfStep(int64_t rows, bool meets, bool copies = false);

/// Nanoseconds that the kernel takes with chunks of so many rows, and those of reading its partial sums: the longer of
/// all bytes, and of the steps of a chunk one after the other as often as chunks fill the GPU.
double timeOfChunks(const ChunkedRows &kernel, int64_t chunkRows);

/// The same, where steps take longer than estimated, and a multiprocessor has a block less, as far as that is not sure.
double longestTimeOfChunks(const ChunkedRows &kernel, int64_t chunkRows);

} // namespace stretto::codegen
