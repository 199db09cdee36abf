// Scores that are one quantity, measured at several values of a key.
#include "runtime/runs/families.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace stretto::runtime {

// A name taken apart; none where it has another form.
static std::optional<Family> readName(const std::string &metric) {
  const size_t slash = metric.rfind('/'), equals = metric.rfind('=');
  if (slash == std::string::npos || equals == std::string::npos || equals < slash + 2 || slash == 0)
    return std::nullopt;
  double value = 0;
  const bool andMore = metric.ends_with('+');
  const char *from = metric.data() + equals + 1, *to = metric.data() + metric.size() - andMore;
  const auto [end, error] = std::from_chars(from, to, value);
  if (error != std::errc() || end != to || std::isnan(drawable(value)))
    return std::nullopt;
  return Family{metric.substr(0, slash), metric.substr(slash + 1, equals - slash - 1), {{value, andMore, metric}}};
}

std::vector<Family> familiesOf(std::span<const RunGroup> groups) {
  std::vector<Family> families;
  for (const std::string &metric : metricsOf(groups)) {
    std::optional<Family> read = readName(metric);
    if (!read)
      continue;
    auto known = std::ranges::find_if(
        families, [&](const Family &family) { return family.base == read->base && family.key == read->key; });
    if (known == families.end())
      families.push_back(*read);
    else
      known->members.push_back(read->members[0]);
  }
  std::erase_if(families, [](const Family &family) { return family.members.size() < 2; });
  for (Family &family : families)
    std::ranges::sort(family.members, {}, &FamilyMember::value);
  return families;
}

} // namespace stretto::runtime
