// Work between two collectives that may fail on any rank.
#include "runtime/train/outcomes.h"

#include "runtime/core/error.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace stretto::runtime {
namespace {

class GroupOfOne final : public Group {
public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void exchange(const void *from, void *to, int64_t bytes) override { std::memmove(to, from, bytes); }
  void gather(const void *from, void *to, int64_t bytes) override { std::memmove(to, from, bytes); }
};

// Texts of outcomes begin with one of these.
constexpr char succeeded = '+', failed = '-';

std::string outcomeOf(const std::function<std::string()> &work) {
  try {
    return succeeded + work();
  } catch (const std::exception &error) {
    return failed + std::string(error.what());
  }
}

} // namespace

Group &alone() {
  static GroupOfOne group;
  return group;
}

std::vector<std::string> gatherOutcomes(Group &group, const std::function<std::string()> &work) {
  std::vector<std::string> outcomes = gatherTexts(group, outcomeOf(work));
  const auto failure = std::ranges::find_if(outcomes, [](const std::string &text) { return text.front() == failed; });
  if (failure != outcomes.end()) {
    const bool onAll = std::ranges::count(outcomes, *failure) == group.size();
    const std::string rank = onAll ? "" : fmt::format("rank {}: ", failure - outcomes.begin());
    throw Error(rank + failure->substr(1));
  }
  for (std::string &text : outcomes)
    text.erase(0, 1);
  return outcomes;
}

std::string outcomeOfFirst(Group &group, const std::function<std::string()> &work) {
  const bool isFirst = group.rank() == 0;
  const std::string outcome = gatherTexts(group, isFirst ? outcomeOf(work) : "").front();
  if (outcome.front() == failed)
    throw Error(outcome.substr(1));
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
