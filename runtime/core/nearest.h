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

// The fewest insertions, deletions, replacements and swaps of neighbours that turn one into the other, each letter
// changed once (optimal string alignment), row by row.
inline size_t editDistance(std::string_view from, std::string_view to) {
  std::vector<size_t> before(to.size() + 1), above(to.size() + 1), row(to.size() + 1);
  std::iota(above.begin(), above.end(), size_t{0});
  for (size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (from[i - 1] != to[j - 1])});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above.back();
}

// The candidate nearest to `name`, which may lack its end; else none where even the nearest would change more than a
// third of it, or of a short one more than a letter. The first of several equally near ones.
inline std::optional<std::string> nearestOf(std::string_view name, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  constexpr size_t fewest = 3; // letters that a name may be cut to
  for (const std::string &candidate : candidates)
    if (name.size() >= fewest && candidate.starts_with(name) && (!best || candidate.size() < best->size()))
      best = candidate;
  if (best)
    return best;
  size_t bestDistance = std::min(std::max<size_t>(name.size() / 3, 1) + 1, name.size());
  for (const std::string &candidate : candidates)
    if (size_t distance = editDistance(name, candidate); distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  return best;
}

// "; did you mean 'x'?" for the nearest candidate, or nothing where none is near.
inline std::string didYouMean(std::string_view name, std::span<const std::string> candidates) {
  const auto nearest = nearestOf(name, candidates);
  return nearest ? "; did you mean '" + *nearest + "'?" : "";
}

// The same, or the whole list where none is near.
inline std::string suggestName(std::string_view name, std::span<const std::string> candidates) {
  if (std::string nearest = didYouMean(name, candidates); !nearest.empty())
    return nearest;
  std::string list;
  for (const std::string &candidate : candidates)
    list += (list.empty() ? "; known: " : ", ") + candidate;
  return list;
}

} // namespace stretto::runtime
