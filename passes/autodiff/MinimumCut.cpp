//===- MinimumCut.cpp - the cheapest set of edges between two nodes ------------===//
#include "passes/autodiff/MinimumCut.h"

#include <algorithm>

using namespace stretto;
using namespace stretto::passes;

FlowGraph::Node FlowGraph::addNode() {
  outgoing.emplace_back();
  return static_cast<Node>(outgoing.size()) - 1;
}

void FlowGraph::addEdge(Node from, Node to, int64_t capacity) {
  outgoing[from].push_back(static_cast<int32_t>(edges.size()));
  edges.push_back({to, capacity});
  outgoing[to].push_back(static_cast<int32_t>(edges.size()));
  edges.push_back({from, 0});
}

bool FlowGraph::buildLevels(Node source, Node sink) {
  level.assign(outgoing.size(), -1);
  level[source] = 0;
  std::vector<Node> queue{source};
  for (size_t head = 0; head < queue.size(); ++head)
    for (int32_t e : outgoing[queue[head]])
      if (edges[e].left > 0 && level[edges[e].to] < 0) {
        level[edges[e].to] = level[queue[head]] + 1;
        queue.push_back(edges[e].to);
      }
  return level[sink] >= 0;
}

int64_t FlowGraph::push(Node node, Node sink, int64_t limit) {
  if (node == sink)
    return limit;
  for (int32_t &i = next[node]; i < static_cast<int32_t>(outgoing[node].size()); ++i) {
    int32_t e = outgoing[node][i];
    if (edges[e].left <= 0 || level[edges[e].to] != level[node] + 1)
      continue;
    if (int64_t flow = push(edges[e].to, sink, std::min(limit, edges[e].left))) {
      edges[e].left -= flow;
      edges[e ^ 1].left += flow;
      return flow;
    }
  }
  return 0;
}

int64_t FlowGraph::cut(Node source, Node sink) {
  int64_t total = 0;
  while (buildLevels(source, sink)) {
    next.assign(outgoing.size(), 0);
    while (int64_t flow = push(source, sink, kInfinite)) {
      total += flow;
      if (total >= kInfinite) // an infinite path: no cut
        return total;
    }
  }
  return total;
}
