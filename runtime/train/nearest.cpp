#include "runtime/train/nearest.h"

#include <algorithm>

namespace stretto {

int editDistance(const std::string &a, const std::string &b) {
  std::vector<std::vector<int>> table(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = static_cast<int>(i + j);
        continue;
      }
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  return table[a.size()][b.size()];
}

std::string didYouMean(const std::string &wrong, const std::vector<std::string> &names) {
  int best = std::max(1, static_cast<int>(wrong.size() + 2) / 3) + 1;
  const std::string *nearest = nullptr;
  for (const std::string &name : names) {
    const int distance = editDistance(wrong, name);
    if (distance < best)
      best = distance, nearest = &name;
  }
  return nearest ? ", did you mean '" + *nearest + "'?" : "";
}

} // namespace stretto
