// Errors of the dispatcher, and help with misspelt names.
#include "tools/stretto/error.h"

#include <algorithm>
#include <vector>

namespace stretto::tools {

// Optimal string alignment distance, row by row.
static size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string nearestName(std::string_view name, std::span<const std::string> candidates) {
  size_t best = std::max<size_t>(1, name.size() / 3) + 1;
  std::string nearest;
  for (const std::string &candidate : candidates)
    if (size_t d = distance(name, candidate); d < best) {
      best = d;
      nearest = candidate;
    }
  return nearest;
}

} // namespace stretto::tools
