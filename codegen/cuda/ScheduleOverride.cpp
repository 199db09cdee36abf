//===- ScheduleOverride.cpp - what a GPU can do with schedules that a user gives ===//
#include "codegen/cuda/ScheduleOverride.h"

#include "codegen/cuda/Grid.h"
#include "codegen/cuda/RowWalk.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

constexpr int64_t mostBlockThreads = 1024; // CUDA programming guide
constexpr int64_t mostPlaces = 8;          // for steps of rows that are ahead

int64_t stretto::codegen::wholeGroup(int64_t wanted) {
  return wanted < warpThreads ? llvm::PowerOf2Ceil(wanted) : llvm::alignTo(wanted, warpThreads);
}

LogicalResult stretto::codegen::checkFields(const ScheduleOverride &given, bool isMatmul) {
  for (auto [i, field] : llvm::enumerate(cudaOverrideFields))
    if (failed(given.check(field, isMatmul ? i >= firstSharedField : i < firstMatmulField,
                           isMatmul ? "left out where there is a matmul" : "left out where there is no matmul")))
      return failure();
  return success();
}

LogicalResult stretto::codegen::checkOverride(const ScheduleOverride &given, int64_t leastLanes, int64_t mostLanes) {
  int64_t lanes = given.get("lanes", 1), threads = given.get("threads", 1), places = given.get("places", 1);
  if (failed(given.check("rows", given.get("rows", 1) <= mostScheduleRows, "at most " + Twine(mostScheduleRows))) ||
      failed(given.check("lanes", llvm::isPowerOf2_64(lanes) && lanes <= mostLanes,
                         "a power of two of at most " + Twine(mostLanes) + ", 16 bytes of the narrowest operand")) ||
      failed(
          given.check("lanes", lanes >= leastLanes, "at least " + Twine(leastLanes) + ", as neighbours change places")))
    return failure();
  if (failed(given.check("places", llvm::isPowerOf2_64(places) && places <= mostPlaces,
                         "a power of two of at most " + Twine(mostPlaces))))
    return failure();
  return given.check("threads", wholeGroup(threads) == threads && threads <= mostBlockThreads,
                     "1, 2, 4, 8, 16 or a multiple of 32 up to " + Twine(mostBlockThreads));
}

LogicalResult stretto::codegen::checkTogether(const ScheduleOverride &given, kern::ThreadScheduleAttr s,
                                              int64_t sharedBytes, int64_t mostBytes) {
  int64_t block = s.getGroups() * s.getThreads(), mostGroups = mostBlockThreads / s.getThreads();
  if (failed(given.check("groups", block <= mostBlockThreads && block % warpThreads == 0,
                         "at most " + Twine(mostGroups) + " and make whole warps with groups of " +
                             Twine(s.getThreads()) + " threads")) ||
      failed(
          given.check("chunk", s.getRows() <= s.getChunk(), "at least the " + Twine(s.getRows()) + " rows of a step")))
    return failure();
  std::string tiles = "so many that at most " + std::to_string(mostGridY) + " tiles make a row";
  if (failed(given.check("threads", s.getTiles() <= mostGridY, tiles)) ||
      failed(given.check("lanes", s.getTiles() <= mostGridY, tiles)))
    return failure();
  for (StringRef field : {"chunk", "groups", "rows", "threads", "lanes"})
    if (failed(given.check(field, sharedBytes <= mostBytes,
                           "such that a block takes at most " + Twine(mostBytes) +
                               " bytes of shared memory (it takes " + Twine(sharedBytes) + ")")))
      return failure();
  return success();
}
