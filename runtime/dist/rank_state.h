// What ranks tell each other of themselves, several times a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stretto::runtime {

struct RankState {
  std::string phase = "the start";         // "step 12"
  std::string waitsFor;                    // "exchange 3 of group level0"; empty: it computes
  std::chrono::milliseconds standstill{0}; // without progress; 0 where it may take its time
};

// As the store keeps it: a number that counts up, and the state; nothing for what is none.
std::string writeBeat(int64_t number, const RankState &state);
std::optional<RankState> readBeat(std::string_view text);

// "rank 5 (host b7): computing in step 12; all others: waiting for exchange 3 of group level0 in step 12": rare states
// first. `names`: of the ranks, with hosts.
std::string describeStates(std::span<const std::string> names, std::span<const RankState> states);

} // namespace stretto::runtime
