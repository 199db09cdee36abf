// How many edges graphs of Brevo have.
#include "tasks/brevo/lengths.h"

#include "tasks/brevo/dag.h"

#include <algorithm>

namespace stretto::tasks {

static int64_t mostParents(int64_t node) { return std::min<int64_t>(node, Dag::most); }

int64_t mostEdges(int64_t n) {
  int64_t edges = 0;
  for (int64_t node = 1; node < n; ++node)
    edges += mostParents(node);
  return edges;
}

int64_t likelyEdges(int64_t n, double share) {
  std::vector<double> chances = {1}; // of each sum so far
  for (int64_t node = 1; node < n; ++node) {
    std::vector<double> next(chances.size() + size_t(mostParents(node)), 0);
    for (size_t edges = 0; edges < chances.size(); ++edges)
      for (int64_t more = 1; more <= mostParents(node); ++more)
        next[edges + size_t(more)] += chances[edges] / double(mostParents(node));
    chances = std::move(next);
  }
  size_t edges = chances.size() - 1;
  for (double above = 0; (above += chances[edges]) <= share;)
    --edges;
  return int64_t(edges);
}

} // namespace stretto::tasks
