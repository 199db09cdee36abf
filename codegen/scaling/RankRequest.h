//===- RankRequest.h - on how many ranks a run shall be --------------------------===//
#pragma once

#include "codegen/scaling/Devices.h"
#include "codegen/scaling/Exchange.h"

#include <optional>
#include <string>

namespace stretto::codegen {

/// What the user asks for; each number is at least 1.
struct RankRequest {
  std::optional<int64_t> ranks = std::nullopt, hosts = std::nullopt, virtualRanks = std::nullopt,
                         accumulate = std::nullopt;
};

/// Fills in what is left open: one rank, as few hosts as the device allows, a virtual rank for each rank, one
/// micro-batch. Nothing where the numbers do not fit together, and `error` says why, with the options.
std::optional<RankShape> resolveRanks(const RankRequest &request, const Device &device, std::string &error);

} // namespace stretto::codegen
