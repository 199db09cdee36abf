// Scores that take one quantity apart, and so read better in a table of their own than as columns of the main one.
#include "runtime/runs/breakdown.h"

#include <fmt/format.h>

#include <algorithm>

namespace stretto::runtime {

static constexpr size_t fewest = 3; // columns that make a table

static Breakdown byKey(const Family &family) {
  Breakdown breakdown{family.title(), {}};
  for (const FamilyMember &member : family.members)
    breakdown.columns.push_back(
        {fmt::format("{}={:.6g}{}", family.key, member.value, member.andMore ? "+" : ""), member.metric});
  return breakdown;
}

// Scores of one base and unit, in the order in which they occur. What has a key is left to the families.
static std::vector<Breakdown> byPart(std::span<const RunGroup> groups) {
  std::vector<Breakdown> breakdowns;
  for (const std::string &metric : metricsOf(groups)) {
    const size_t slash = metric.rfind('/');
    if (slash == std::string::npos || metric.find('=', slash) != std::string::npos)
      continue;
    const std::string base = metric.substr(0, slash);
    auto known = std::ranges::find_if(breakdowns, [&](const Breakdown &other) {
      return other.title == base && unitOf(groups, other.columns[0].metric) == unitOf(groups, metric);
    });
    if (known == breakdowns.end())
      known = breakdowns.insert(known, Breakdown{base, {}});
    known->columns.push_back({metric.substr(slash + 1), metric});
  }
  return breakdowns;
}

std::vector<Breakdown> breakdownsOf(std::span<const RunGroup> groups) {
  std::vector<Breakdown> breakdowns;
  for (const Family &family : familiesOf(groups))
    breakdowns.push_back(byKey(family));
  std::ranges::move(byPart(groups), std::back_inserter(breakdowns));
  for (Breakdown &breakdown : breakdowns)
    std::erase_if(breakdown.columns, [&](const Breakdown::Column &column) { return !isShown(groups, column.metric); });
  std::erase_if(breakdowns, [](const Breakdown &breakdown) { return breakdown.columns.size() < fewest; });
  return breakdowns;
}

} // namespace stretto::runtime
