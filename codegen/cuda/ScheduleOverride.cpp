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

/// Rules of numbers by themselves.
static SmallVector<ScheduleRule> rulesOfNumbers(int64_t rows, int64_t threads, int64_t places) {
  return {{"rows", rows, rows <= kern::mostRows, ("at most " + Twine(kern::mostRows)).str()},
          {"places", places, llvm::isPowerOf2_64(places) && places <= mostPlaces,
           ("a power of two of at most " + Twine(mostPlaces)).str()},
          {"threads", threads, wholeGroup(threads) == threads && threads <= mostBlockThreads,
           ("1, 2, 4, 8, 16 or a multiple of 32 up to " + Twine(mostBlockThreads)).str()}};
}

/// Rules of numbers beside others.
static SmallVector<ScheduleRule> rulesTogether(kern::ThreadScheduleAttr s) {
  int64_t block = s.getGroups() * s.getThreads(), mostGroups = mostBlockThreads / s.getThreads();
  std::string groups =
      ("at most " + Twine(mostGroups) + " and make whole warps with groups of " + Twine(s.getThreads()) + " threads")
          .str();
  std::string tiles = ("so many that at most " + Twine(mostGridY) + " tiles make a row").str();
  return {{"groups", s.getGroups(), block <= mostBlockThreads && block % warpThreads == 0, groups},
          {"chunk", s.getChunk(), s.getRows() <= s.getChunk(),
           ("at least the " + Twine(s.getRows()) + " rows of a step").str()},
          {"threads", s.getThreads(), s.getTiles() <= mostGridY, tiles},
          {"lanes", s.getLanes(), s.getTiles() <= mostGridY, tiles}};
}

SmallVector<ScheduleRule> stretto::codegen::rulesOf(kern::ThreadScheduleAttr s) {
  SmallVector<ScheduleRule> rules = rulesOfNumbers(s.getRows(), s.getThreads(), s.getPlaces());
  llvm::append_range(rules, rulesTogether(s));
  return rules;
}

LogicalResult stretto::codegen::checkRules(const ScheduleOverride &given, ArrayRef<ScheduleRule> rules) {
  for (const ScheduleRule &rule : rules)
    if (failed(given.check(rule.field, rule.holds, rule.expected)))
      return failure();
  return success();
}

LogicalResult stretto::codegen::checkOverride(const ScheduleOverride &given, int64_t leastLanes, int64_t mostLanes) {
  int64_t lanes = given.get("lanes", leastLanes);
  if (failed(given.check("lanes", llvm::isPowerOf2_64(lanes) && lanes <= mostLanes,
                         "a power of two of at most " + Twine(mostLanes) + ", " + Twine(widestAccess) +
                             " bytes of the narrowest operand")) ||
      failed(
          given.check("lanes", lanes >= leastLanes, "at least " + Twine(leastLanes) + ", as neighbours change places")))
    return failure();
  return checkRules(given, rulesOfNumbers(given.get("rows", 1), given.get("threads", 1), given.get("places", 1)));
}

LogicalResult stretto::codegen::checkTogether(const ScheduleOverride &given, kern::ThreadScheduleAttr s,
                                              int64_t sharedBytes, int64_t mostBytes) {
  if (failed(checkRules(given, rulesTogether(s))))
    return failure();
  for (StringRef field : {"chunk", "groups", "rows", "threads", "lanes"})
    if (failed(given.check(field, sharedBytes <= mostBytes,
                           "such that a block takes at most " + Twine(mostBytes) +
                               " bytes of shared memory (it takes " + Twine(sharedBytes) + ")")))
      return failure();
  return success();
}
