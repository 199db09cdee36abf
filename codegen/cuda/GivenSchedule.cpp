//===- GivenSchedule.cpp - what a GPU can do with schedules that a user gives ===//
#include "codegen/cuda/GivenSchedule.h"

#include "codegen/cuda/RowWalk.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;

constexpr int64_t mostBlockThreads = 1024, mostStrips = 65535; // of a launch (CUDA programming guide)

int64_t stretto::wholeTeam(int64_t wanted) {
  return wanted < warpThreads ? llvm::PowerOf2Ceil(wanted) : llvm::alignTo(wanted, warpThreads);
}

LogicalResult stretto::checkGiven(const GivenSchedule &given, int64_t leastLanes, int64_t mostLanes) {
  int64_t lanes = given.get("lanes", 1), threads = given.get("threads", 1);
  if (failed(given.check("rows", given.get("rows", 1) <= mostScheduleRows, "at most " + Twine(mostScheduleRows))) ||
      failed(given.check("lanes", llvm::isPowerOf2_64(lanes) && lanes <= mostLanes,
                         "a power of two of at most " + Twine(mostLanes) + ", 16 bytes of the narrowest operand")) ||
      failed(
          given.check("lanes", lanes >= leastLanes, "at least " + Twine(leastLanes) + ", as neighbours change places")))
    return failure();
  return given.check("threads", wholeTeam(threads) == threads && threads <= mostBlockThreads,
                     "1, 2, 4, 8, 16 or a multiple of 32 up to " + Twine(mostBlockThreads));
}

LogicalResult stretto::checkTogether(const GivenSchedule &given, kern::ThreadScheduleAttr s, int64_t sharedBytes) {
  int64_t block = s.getTeams() * s.getThreads(), mostTeams = mostBlockThreads / s.getThreads();
  if (failed(given.check("teams", block <= mostBlockThreads && block % warpThreads == 0,
                         "at most " + Twine(mostTeams) + " and make whole warps with teams of " +
                             Twine(s.getThreads()) + " threads")) ||
      failed(
          given.check("chunk", s.getRows() <= s.getChunk(), "at least the " + Twine(s.getRows()) + " rows of a step")))
    return failure();
  std::string strips = "so many that at most " + std::to_string(mostStrips) + " strips make a row";
  if (failed(given.check("threads", s.getStrips() <= mostStrips, strips)) ||
      failed(given.check("lanes", s.getStrips() <= mostStrips, strips)))
    return failure();
  for (StringRef field : {"chunk", "teams", "rows", "threads", "lanes"})
    if (failed(given.check(field, sharedBytes <= mostSharedBytes,
                           "such that a block takes at most " + Twine(mostSharedBytes) +
                               " bytes of shared memory (it takes " + Twine(sharedBytes) + ")")))
      return failure();
  return success();
}
