//===- MinimumCut.h - the cheapest set of edges between two nodes --------------===//
#pragma once

#include <cstdint>
#include <vector>

namespace stretto::passes {

/// A directed graph with capacities; finds a minimum cut by maximum flow (Dinic's algorithm).
class FlowGraph {
public:
  using Node = int32_t;
  static constexpr int64_t kInfinite = INT64_C(1) << 60;

  Node addNode();
  void addEdge(Node from, Node to, int64_t capacity);

  /// Capacity of a minimum cut between source and sink; `kInfinite` or more: there is none.
  int64_t cut(Node source, Node sink);
  /// After `cut`: whether a node is on the source's side. Of all minimum cuts this is the one nearest the source.
  bool isOnSourceSide(Node node) const { return level[node] >= 0; }

private:
  struct Edge {
    Node to;
    int64_t left; // residual capacity; the reverse edge is the neighbour in pairs (2i, 2i + 1)
  };
  bool buildLevels(Node source, Node sink);
  int64_t push(Node node, Node sink, int64_t limit);

  std::vector<Edge> edges;
  std::vector<std::vector<int32_t>> outgoing;
  std::vector<int32_t> level, next;
};

} // namespace stretto::passes
