//===- WalkTime.cpp - how long a walk is likely to take --------------------------===//
//
// A multiprocessor holds one block of a walk. What a chunk takes is a trip to memory and back, and its arithmetic at the
// rate that bench/gpu/estimate.py finds for walks.
#include "codegen/cuda/walk/WalkTime.h"

#include "llvm/Support/MathExtras.h"

using namespace stretto;
using namespace stretto::codegen;

static constexpr double launchTime = 3.5, memoryTime = 1.0; // microseconds
static constexpr double flopsOfProcessor = 0.4e6;           // in a microsecond

double stretto::codegen::estimateWalk(kern::WalkOp walk, int64_t processors) {
  int64_t programs = walk.getPrograms(), sequences = walk.getRows().first, chunks = walk.getChunks();
  double flopsOfChunk = walk.getFlops() / static_cast<double>(programs * sequences * chunks);
  int64_t waves = llvm::divideCeil(programs * sequences * walk.getSpans(), processors);
  int64_t ofSpan = std::min<int64_t>(walk.getSpan(), chunks);
  return launchTime + static_cast<double>(waves * ofSpan) * (memoryTime + flopsOfChunk / flopsOfProcessor);
}
