//===- WalkTime.cpp - how long a walk is likely to take --------------------------===//
//
// A multiprocessor holds one block of a walk. What a chunk takes is a trip to memory and back, its matmuls, and the
// rows of the systems that it solves, one after the other: rates that bench/gpu/estimate.py finds for walks.
#include "codegen/cuda/walk/WalkTime.h"

#include "ir/seq/TensorShape.h"

#include "llvm/Support/MathExtras.h"

using namespace stretto;
using namespace stretto::codegen;

// Microseconds.
static constexpr double launchTime = 3.5, memoryTime = 1.0, timeOfSolvedRow = 0.08;
static constexpr double flopsOfProcessor = 0.4e6; // in a microsecond

static double timeOfChunk(kern::WalkOp walk) {
  int64_t rows = 0;
  walk.getBody().walk([&](kern::UnitSolveOp solve) { rows += typeOf(solve.getMatrix()).getDimSize(0); });
  int64_t all = walk.getPrograms() * walk.getRows().first * walk.getChunks();
  double flops = walk.getFlops() / static_cast<double>(all);
  return memoryTime + flops / flopsOfProcessor + timeOfSolvedRow * static_cast<double>(rows);
}

double stretto::codegen::estimateWalk(kern::WalkOp walk, int64_t processors) {
  int64_t blocks = walk.getPrograms() * walk.getRows().first * walk.getSpans();
  int64_t chunks = std::min<int64_t>(walk.getSpan(), walk.getChunks());
  return launchTime + static_cast<double>(llvm::divideCeil(blocks, processors) * chunks) * timeOfChunk(walk);
}
