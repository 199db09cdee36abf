// The minimum cut against brute force over all partitions of small random graphs.
#include "passes/autodiff/MinimumCut.h"

#include <gtest/gtest.h>
#include <random>

using stretto::passes::FlowGraph;

namespace {
struct RandomGraph {
  int nodes;
  std::vector<std::tuple<int, int, int64_t>> edges;

  RandomGraph(std::mt19937 &random) {
    nodes = 2 + static_cast<int>(random() % 7);
    int count = static_cast<int>(random() % 20);
    for (int i = 0; i < count; ++i)
      edges.emplace_back(random() % nodes, random() % nodes, random() % 8);
  }

  int64_t cost(unsigned sourceSide) const {
    int64_t total = 0;
    for (auto [from, to, capacity] : edges)
      if ((sourceSide >> from & 1) && !(sourceSide >> to & 1))
        total += capacity;
    return total;
  }

  int64_t bruteForce() const {
    int64_t best = INT64_MAX;
    for (unsigned side = 0; side < (1u << nodes); ++side)
      if ((side & 1) && !(side >> 1 & 1))
        best = std::min(best, cost(side));
    return best;
  }
};
} // namespace

TEST(MinimumCut, EqualsBruteForceAndItsSidesCostThatMuch) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    RandomGraph expected(random);
    FlowGraph graph;
    for (int i = 0; i < expected.nodes; ++i)
      graph.addNode();
    for (auto [from, to, capacity] : expected.edges)
      graph.addEdge(from, to, capacity);
    int64_t cut = graph.cut(0, 1);
    ASSERT_EQ(cut, expected.bruteForce()) << "round " << round;
    unsigned side = 0;
    for (int i = 0; i < expected.nodes; ++i)
      side |= unsigned(graph.isOnSourceSide(i)) << i;
    ASSERT_EQ(cut, expected.cost(side)) << "round " << round;
  }
}

TEST(MinimumCut, AnInfinitePathIsReported) {
  FlowGraph graph;
  for (int i = 0; i < 3; ++i)
    graph.addNode();
  graph.addEdge(0, 2, FlowGraph::kInfinite);
  graph.addEdge(2, 1, FlowGraph::kInfinite);
  EXPECT_GE(graph.cut(0, 1), FlowGraph::kInfinite);
}
