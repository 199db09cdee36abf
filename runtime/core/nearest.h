// Suggestions for mistyped names in error messages.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::runtime {

// Levenshtein distance: the fewest insertions, deletions and replacements that turn one into the other.
inline size_t editDistance(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < to.size(); ++j) {
      size_t replaced = diagonal + (from[i] != to[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

// The candidate nearest to `name`; none where even the nearest would replace more than half of it. The
// first of several equally near ones.
inline std::optional<std::string> nearestOf(std::string_view name, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  size_t bestDistance = name.size() / 2 + 1;
  for (const std::string &candidate : candidates)
    if (size_t distance = editDistance(name, candidate); distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  return best;
}

// "; did you mean 'x'?" for the nearest candidate, or the whole list where none is near.
inline std::string suggestName(std::string_view name, std::span<const std::string> candidates) {
  if (auto nearest = nearestOf(name, candidates))
    return "; did you mean '" + *nearest + "'?";
  std::string list;
  for (const std::string &candidate : candidates)
    list += (list.empty() ? "; known: " : ", ") + candidate;
  return list;
}

} // namespace stretto::runtime
