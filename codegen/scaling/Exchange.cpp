//===- Exchange.cpp - what ranks send each other in a step ------------------------===//
#include "codegen/scaling/Exchange.h"

#include <algorithm>
#include <bit>

using namespace stretto::codegen;

static int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The largest power of two up to 8 that divides a number.
static int64_t powerIn(int64_t number) { return std::min<int64_t>(8, number & -number); }

std::vector<int64_t> stretto::codegen::groupSizes(int64_t ranks, int64_t hostRanks) {
  std::vector<int64_t> sizes;
  while (ranks > 1) {
    const int64_t ofHost = powerIn(hostRanks), ofAll = powerIn(ranks);
    const int64_t size = ofHost > 1 ? std::min(ofHost, ofAll) : ofAll;
    sizes.push_back(size > 1 ? size : ranks);
    hostRanks = hostRanks % sizes.back() == 0 ? hostRanks / sizes.back() : 1;
    ranks /= sizes.back();
  }
  return sizes;
}

/// The latest of the buckets that have a part of [begin, end).
static int64_t latestBucket(const std::vector<PlannedBucket> &buckets, int64_t begin, int64_t end) {
  int64_t latest = 0;
  for (size_t i = 0; i < buckets.size(); ++i)
    if (buckets[i].begin < end && begin < buckets[i].begin + buckets[i].bytes)
      latest = static_cast<int64_t>(i);
  return latest;
}

static std::vector<PlannedBucket> alignBuckets(const std::vector<PlannedBucket> &buckets, int64_t bytes, int64_t step) {
  std::vector<std::pair<int64_t, PlannedBucket>> aligned; // with the number of the bucket it was
  for (int64_t begin = 0; begin < bytes; begin += step) {
    const int64_t number = latestBucket(buckets, begin, begin + step);
    if (!aligned.empty() && aligned.back().first == number)
      aligned.back().second.bytes += step;
    else
      aligned.push_back({number, {begin, step, buckets.empty() ? 0 : buckets[number].after}});
  }
  std::stable_sort(aligned.begin(), aligned.end(), [](auto &a, auto &b) { return a.first < b.first; });
  std::vector<PlannedBucket> result;
  for (auto &[number, bucket] : aligned)
    result.push_back(bucket);
  return result;
}

Exchange stretto::codegen::planExchange(int64_t bytes, int64_t pieceBytes, const RankShape &shape,
                                        const std::vector<PlannedBucket> &buckets) {
  if (shape.ranks == 1)
    return {{}, {}, bytes, bytes};
  Exchange plan;
  plan.bytesOwned = ceilDivide(ceilDivide(bytes, pieceBytes), shape.ranks) * pieceBytes;
  plan.bytes = plan.bytesOwned * shape.ranks;
  plan.buckets = alignBuckets(buckets, plan.bytes, pieceBytes * shape.ranks);
  const auto count = static_cast<int64_t>(plan.buckets.size());
  const int64_t hostRanks = shape.ranks / shape.hosts;
  int64_t held = plan.bytes, together = 1; // ranks of one group and of the groups below it
  for (int64_t members : groupSizes(shape.ranks, hostRanks)) {
    together *= members;
    plan.levels.push_back(
        {members, hostRanks % together != 0, held, held / members * (members - 1), count * (members - 1)});
    held /= members;
  }
  return plan;
}

int64_t stretto::codegen::pendingLevels(int64_t virtualRanks) {
  return std::bit_width(static_cast<uint64_t>(virtualRanks)) - 1;
}
