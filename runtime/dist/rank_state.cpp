// What ranks tell each other of themselves.
#include "runtime/dist/rank_state.h"

#include "runtime/core/whole_number.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace stretto::runtime {
namespace {

constexpr char separator = '\t'; // between phase and what it waits for

// The text up to the next such character, which is taken as well.
std::string_view takeUntil(char end, std::string_view &text) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), taken.size() + 1));
  return taken;
}

struct SameState {
  std::string text;
  std::vector<size_t> ranks;
};

std::string textOf(const RankState &state) {
  return state.waitsFor.empty() ? "computing in " + state.phase
                                : fmt::format("waiting for {} in {}", state.waitsFor, state.phase);
}

// Ranks by their states, those that most have at the end.
std::vector<SameState> groupStates(std::span<const RankState> states) {
  std::vector<SameState> groups;
  for (size_t rank = 0; rank < states.size(); ++rank) {
    const std::string text = textOf(states[rank]);
    auto found = std::ranges::find(groups, text, &SameState::text);
    if (found == groups.end())
      found = groups.insert(found, {text, {}});
    found->ranks.push_back(rank);
  }
  std::ranges::stable_sort(groups, {}, [](const SameState &group) { return group.ranks.size(); });
  return groups;
}

std::string listOf(std::span<const size_t> ranks) {
  constexpr size_t most = 8;
  const std::string rest = ranks.size() > most ? fmt::format(" and {} more", ranks.size() - most) : "";
  return fmt::format("ranks {}{}", fmt::join(ranks.first(std::min(most, ranks.size())), ", "), rest);
}

} // namespace

std::string writeBeat(int64_t number, const RankState &state) {
  return fmt::format("{} {} {}{}{}", number, state.standstill.count(), state.phase, separator, state.waitsFor);
}

std::optional<RankState> readBeat(std::string_view text) {
  int64_t number = 0, standstill = 0;
  if (!parseWholeNumber(takeUntil(' ', text), number) || !parseWholeNumber(takeUntil(' ', text), standstill))
    return std::nullopt;
  RankState state;
  state.phase = takeUntil(separator, text);
  state.waitsFor = text;
  state.standstill = std::chrono::milliseconds(standstill);
  return state;
}

std::string describeStates(std::span<const std::string> names, std::span<const RankState> states) {
  constexpr size_t most = 8; // states that are told
  std::vector<SameState> groups = groupStates(states);
  const char *others = groups.size() == 1 ? "all ranks" : groups.size() > most ? "most others" : "all others";
  if (groups.size() > most)
    groups.erase(groups.begin() + most - 1, groups.end() - 1);
  std::string result;
  for (const SameState &group : groups) {
    const bool isOne = group.ranks.size() == 1, isLast = &group == &groups.back();
    const std::string who = isOne ? names[group.ranks[0]] : isLast ? others : listOf(group.ranks);
    result += fmt::format("{}{}: {}", result.empty() ? "" : "; ", who, group.text);
  }
  return result;
}

} // namespace stretto::runtime
