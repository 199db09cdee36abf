// Work between two collectives that may fail on any rank.
#include "runtime/dist/outcomes.h"

#include <algorithm>
#include <fmt/format.h>

namespace stretto::runtime {
namespace {

// Texts of outcomes begin with one of these.
constexpr char succeeded = '+', failed = '-';

std::string outcomeOf(const std::function<std::string()> &work) {
  try {
    return succeeded + work();
  } catch (const LostRanks &) {
    throw;
  } catch (const std::exception &error) {
    return failed + std::string(error.what());
  }
}

} // namespace

Group &alone() {
  static const std::unique_ptr<Group> group = groupOfOne();
  return *group;
}

void together(Group &group, const std::function<void()> &work) {
  gatherOutcomes(group, [&] {
    work();
    return std::string();
  });
}

std::vector<std::string> gatherOutcomes(Group &group, const std::function<std::string()> &work) {
  if (group.size() == 1)
    return {work()};
  std::vector<std::string> outcomes = gatherTexts(group, outcomeOf(work));
  const auto failure = std::ranges::find_if(outcomes, [](const std::string &text) { return text.front() == failed; });
  if (failure != outcomes.end()) {
    const bool onAll = std::ranges::count(outcomes, *failure) == group.size();
    const std::string rank = onAll ? "" : fmt::format("rank {}: ", failure - outcomes.begin());
    throw SharedError(rank + failure->substr(1));
  }
  for (std::string &text : outcomes)
    text.erase(0, 1);
  return outcomes;
}

std::string outcomeOfFirst(Group &group, const std::function<std::string()> &work) {
  if (group.size() == 1)
    return work();
  const bool isFirst = group.rank() == 0;
  const std::string outcome = gatherTexts(group, isFirst ? outcomeOf(work) : "").front();
  if (outcome.front() == failed)
    throw SharedError(outcome.substr(1));
  return outcome.substr(1);
}

std::string packTexts(const std::vector<std::string> &texts) {
  std::string packed;
  for (const std::string &text : texts)
    packed += fmt::format("{}:{}", text.size(), text);
  return packed;
}

std::vector<std::string> unpackTexts(std::string_view packed) {
  std::vector<std::string> texts;
  while (!packed.empty()) {
    const size_t colon = packed.find(':'), size = std::stoull(std::string(packed.substr(0, colon)));
    texts.emplace_back(packed.substr(colon + 1, size));
    packed.remove_prefix(colon + 1 + size);
  }
  return texts;
}

} // namespace stretto::runtime
