//===- Estimate.h - what a run on many ranks needs and takes, estimated -----------===//
#pragma once

#include "codegen/scaling/Devices.h"
#include "codegen/scaling/Exchange.h"
#include "codegen/scaling/StepWork.h"

#include <array>

namespace stretto::codegen {

/// What lies in the memory of a rank.
struct MemoryItem {
  const char *name;
  int64_t bytes;
  const char *note = ""; // what the name does not say
};

struct RankMemory {
  std::vector<MemoryItem> items;
  int64_t bytes = 0, available = 0;
  int64_t largestBatch = 0; // sequences of a micro-batch, at least; 0: not one fits

  bool fits() const { return bytes <= available; }
};

/// Seconds that a level takes in each direction.
struct LevelTime {
  double scatter = 0, gather = 0;
};

/// What of the exchange goes on while ranks compute: each does what those before it do.
enum class Overlap {
  none,    ///< nothing
  scatter, ///< gradients are sent during the backward, in buckets
  both,    ///< and weights are gathered during the next forward
};
inline constexpr std::array allOverlaps{Overlap::none, Overlap::scatter, Overlap::both};
/// What programs do; the others tell what it is good for.
inline constexpr Overlap builtOverlap = Overlap::both;

/// Seconds of a bucket over all levels, and the part of the backward behind it.
struct BucketTime {
  double scatter = 0, gather = 0;
  double after = 0;
};

/// Seconds of a step of one rank.
struct StepEstimate {
  double forward = 0, backward = 0; // of one micro-batch
  int64_t microBatches = 1;
  double adding = 0;  // gradients of micro-batches and virtual ranks
  double update = 0;  // squares and AdamW of the own part, and the bf16 copy of all
  double norm = 0;    // gathering the sums of squares, and their sum
  double waiting = 0; // for the slowest of all ranks
  std::vector<LevelTime> levels;
  double scatter = 0, gather = 0; // sums over the levels
  std::vector<BucketTime> buckets;

  double work() const { return static_cast<double>(microBatches) * (forward + backward); }
  /// Seconds of the exchange, and those that nothing hides.
  double transfer() const { return scatter + gather; }
  double exposed(Overlap overlap) const;
  double seconds(Overlap overlap) const;
  /// The share of forward and backward.
  double efficiency(Overlap overlap) const { return work() / seconds(overlap); }
};

/// What to do first for a run that is better.
struct Advice {
  enum Kind {
    nothing,
    smallerBatch,  ///< `value`: the batch that fits
    otherModel,    ///< no batch fits
    moreAccumulate ///< `value`: --accumulate; then `efficiency` of the time is work
  } kind = nothing;
  int64_t value = 0;
  double efficiency = 0;
};

struct RankEstimate {
  const Device *device = nullptr;
  RankShape shape;
  int64_t batch = 0, length = 0; // of a micro-batch
  RankMemory memory;
  Exchange exchange, squares; // of gradients and weights; of the sums of squares
  StepEstimate step;
  Advice advice;

  /// Of one rank, and of all.
  int64_t tokensOfRank() const { return shape.microBatchesOfOne() * batch * length; }
  int64_t tokens() const { return shape.ranks * tokensOfRank(); }
};

/// `device` must outlive the result.
RankEstimate estimateRanks(const PlannedProgram &program, const RankShape &shape, const Device &device);

} // namespace stretto::codegen
