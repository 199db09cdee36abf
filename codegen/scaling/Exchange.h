//===- Exchange.h - what ranks send each other in a step --------------------------===//
//
// Plain arithmetic, without MLIR. Gradients go to the ranks that own them level by level: in groups of neighbours part
// j of what a rank holds goes to member j, which adds the parts and goes on with the sum, at the next level. Weights
// come back over the same levels in reverse, and move as much.
#pragma once

#include "codegen/scaling/StepWork.h"

#include <cstdint>
#include <vector>

namespace stretto::codegen {

/// How the ranks of a run are placed, and how many micro-batches a step has.
struct RankShape {
  int64_t ranks = 1, hosts = 1;
  int64_t virtualRanks = 1; // of all ranks; each takes `accumulate` micro-batches in a step
  int64_t accumulate = 1;

  int64_t virtualRanksOfOne() const { return virtualRanks / ranks; }
  int64_t microBatchesOfOne() const { return virtualRanksOfOne() * accumulate; }
};

/// One level of groups of neighbours, as a rank sees it in one direction.
struct ExchangeLevel {
  int64_t members = 1;
  bool crossesHosts = false;
  int64_t bytesHeld = 0; // before gradients are exchanged here, and after weights are gathered
  int64_t bytesSent = 0; // and as many received
  int64_t messages = 0;  // sent: one to each other member, for each bucket
};

struct Exchange {
  std::vector<ExchangeLevel> levels;  // the way of gradients; levels of one member are left out
  std::vector<PlannedBucket> buckets; // of whole pieces for each rank, neighbours in memory one behind the other
  int64_t bytes = 0;                  // of the buffer, padded so that each rank owns as much
  int64_t bytesOwned = 0;             // by a rank
};

/// The sizes of the groups, level by level, for so many ranks, `hostRanks` of which are neighbours on one host: the
/// largest power of two up to 8 that divides what is left, of a host first, at the end all that remain.
std::vector<int64_t> groupSizes(int64_t ranks, int64_t hostRanks);

/// The exchange of `bytes` that consist of pieces of about `pieceBytes`, which are not cut: the buffer is padded to as
/// many whole pieces for each rank. So are buckets: a piece for each rank is in the latest bucket that has a part of
/// it.
Exchange planExchange(int64_t bytes, int64_t pieceBytes, const RankShape &shape,
                      const std::vector<PlannedBucket> &buckets = {});

/// How many gradients a rank keeps while it adds those of so many virtual ranks as a binary counter does.
int64_t pendingLevels(int64_t virtualRanks);

} // namespace stretto::codegen
