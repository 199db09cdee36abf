// The graphs of Brevo: who depends on whom, without a cycle.
#include "tasks/brevo/dag.h"

#include <algorithm>

namespace stretto::tasks {

Dag Dag::draw(Random &random, int64_t n) {
  std::vector<Parents> parents(n);
  std::vector<uint8_t> children(n, 0);
  std::vector<uint32_t> free; // nodes so far with room for a child
  free.reserve(n);
  const uint32_t leaves = uint32_t(1 + random.below(uint64_t(n - 1) / most + 1));
  for (uint32_t node = 0; node < leaves; ++node)
    free.push_back(node);
  for (uint32_t node = leaves; node < uint32_t(n); ++node) {
    Parents &own = parents[node];
    own.count = uint32_t(1 + random.below(std::min<uint64_t>(most, free.size())));
    random.shuffle(std::span(free), own.count);
    std::copy_n(free.begin(), own.count, own.nodes.begin());
    // Backwards, so that what fills a gap is none of those still to be looked at.
    for (uint32_t i = own.count; i-- > 0;)
      if (++children[free[i]] == most) {
        free[i] = free.back();
        free.pop_back();
      }
    free.push_back(node);
  }
  return Dag(std::move(parents));
}

std::vector<uint32_t> Dag::drawOrder(Random &random, uint32_t query) const {
  // Children within the answer that do not stand yet.
  std::vector<uint8_t> waiting(size(), 0), reached(size(), 0);
  reached[query] = 1;
  for (uint32_t node = query + 1; node-- > 0;)
    if (reached[node])
      for (uint32_t parent : parents[node]) {
        reached[parent] = 1;
        ++waiting[parent];
      }
  std::vector<uint32_t> order, ready = {query};
  while (!ready.empty()) {
    std::swap(ready[random.below(ready.size())], ready.back());
    uint32_t node = ready.back();
    ready.pop_back();
    order.push_back(node);
    for (uint32_t parent : parents[node])
      if (--waiting[parent] == 0)
        ready.push_back(parent);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

int64_t Dag::depth(uint32_t query) const {
  std::vector<uint32_t> distance(query + 1);
  for (uint32_t node = 0; node <= query; ++node) {
    uint32_t nearest = 0;
    for (const uint32_t *parent = parents[node].begin(); parent != parents[node].end(); ++parent)
      nearest = std::min(parent == parents[node].begin() ? UINT32_MAX : nearest, distance[*parent] + 1);
    distance[node] = nearest;
  }
  return distance[query];
}

} // namespace stretto::tasks
