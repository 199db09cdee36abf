//===- ChunkRows.h - how many rows the chunks of a kernel have --------------===//
#pragma once

#include "codegen/cuda/RowShape.h"

namespace stretto::codegen {

/// Rows of a chunk, as many as fill so many multiprocessors: a power of two. Chunks are long beside what they read of
/// their neighbours and beside their column sums, and fewer rows where the device would stay empty, down to where
/// borders cost a fifth. `mostRows`: of the chunks of a thread block.
int64_t chunkByCount(const RowShape &shape, RowSharing sharing, int64_t mostRows, int64_t processors);

/// Those, unless fewer or more take clearly less time; more where they surely do.
int64_t chooseChunk(const RowShape &shape, RowSharing sharing, int64_t mostRows, int64_t processors);

} // namespace stretto::codegen
