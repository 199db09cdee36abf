//===- RankRequest.cpp - on how many ranks a run shall be -------------------------===//
#include "codegen/scaling/RankRequest.h"

#include "ir/seq/BatchLimit.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <bit>

using namespace stretto::codegen;

static std::string checkHosts(const RankShape &shape, const Device &device) {
  const auto most = static_cast<int64_t>(device.hostRanks.value);
  if (shape.ranks % shape.hosts != 0)
    return llvm::formatv("--hosts must divide the {0} ranks, but got {1}", shape.ranks, shape.hosts);
  if (shape.ranks / shape.hosts > most)
    return llvm::formatv("--hosts must leave at most {0} ranks on a host of {1}, but got {2} for {3} ranks", most,
                         device.name, shape.hosts, shape.ranks);
  return "";
}

/// The sums of gradients have the same bits on any number of ranks only where the virtual ranks of a rank are a whole
/// block of the binary counter that adds them.
static std::string checkVirtualRanks(const RankShape &shape) {
  const bool isWhole = shape.virtualRanks % shape.ranks == 0;
  if (shape.ranks == 1 || (isWhole && std::has_single_bit(static_cast<uint64_t>(shape.virtualRanksOfOne()))))
    return "";
  return llvm::formatv("--virtual-ranks must be the {0} ranks times a power of two, but got {1}", shape.ranks,
                       shape.virtualRanks);
}

/// So few that the tokens of a step can be counted in 64 bits.
static std::string checkMicroBatches(const RankShape &shape) {
  constexpr int64_t most = int64_t(1) << 31;
  static_assert(most <= INT64_MAX / stretto::mostBatchTokens);
  if (shape.accumulate <= most / shape.virtualRanks)
    return "";
  return llvm::formatv("a step must have at most {0} micro-batches, but got {1} virtual ranks with {2} each "
                       "(--accumulate)",
                       most, shape.virtualRanks, shape.accumulate);
}

/// As few hosts as there can be with equally many ranks on each.
static int64_t fewestHosts(int64_t ranks, const Device &device) {
  const auto most = static_cast<int64_t>(device.hostRanks.value);
  int64_t perHost = std::min(ranks, most);
  while (ranks % perHost != 0)
    --perHost;
  return ranks / perHost;
}

std::optional<RankShape> stretto::codegen::resolveRanks(const RankRequest &request, const Device &device,
                                                        std::string &error) {
  RankShape shape;
  shape.ranks = request.ranks.value_or(1);
  shape.hosts = request.hosts.value_or(fewestHosts(shape.ranks, device));
  shape.virtualRanks = request.virtualRanks.value_or(shape.ranks);
  shape.accumulate = request.accumulate.value_or(1);
  error = checkHosts(shape, device);
  if (error.empty())
    error = checkVirtualRanks(shape);
  if (error.empty())
    error = checkMicroBatches(shape);
  return error.empty() ? std::optional(shape) : std::nullopt;
}
