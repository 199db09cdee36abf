// Paths in a graph whose nodes merge, against a search through all of its edges.
#include "passes/fusion/ContractedDag.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

using stretto::passes::ContractedDag;

namespace {
/// The same graph without any order: nodes carry the number of what they merged into.
struct PlainGraph {
  std::vector<ContractedDag::Edge> edges;
  std::vector<unsigned> merged;

  PlainGraph(std::mt19937 &random, unsigned numNodes, unsigned numEdges) {
    for (unsigned i = 0; i < numNodes; ++i)
      merged.push_back(i);
    for (unsigned i = 0; i < numEdges; ++i)
      if (unsigned a = random() % numNodes, b = random() % numNodes; a != b)
        edges.emplace_back(std::min(a, b), std::max(a, b));
  }

  /// Merged numbers reached from `start` in one direction, itself only through others; `avoid` is not passed.
  std::set<unsigned> reach(unsigned start, bool forward, unsigned avoid) const {
    std::set<unsigned> met;
    std::vector<unsigned> open{start};
    while (!open.empty()) {
      unsigned node = open.back();
      open.pop_back();
      for (auto [from, to] : edges) {
        unsigned here = merged[forward ? from : to], there = merged[forward ? to : from];
        if (here == node && there != node && there != avoid && met.insert(there).second)
          open.push_back(there);
      }
    }
    return met;
  }

  llvm::BitVector withMerged(const std::set<unsigned> &groups) const {
    llvm::BitVector nodes(merged.size());
    for (unsigned i = 0; i < merged.size(); ++i)
      if (groups.count(merged[i]))
        nodes.set(i);
    return nodes;
  }

  llvm::BitVector getBetween(unsigned a, unsigned b) const {
    a = merged[a], b = merged[b];
    std::set<unsigned> between;
    for (auto [from, to] : {std::pair(a, b), std::pair(b, a)})
      for (unsigned node : reach(from, true, to))
        if (reach(to, false, from).count(node))
          between.insert(node);
    return withMerged(between);
  }

  llvm::BitVector getRelated(unsigned node) const {
    std::set<unsigned> related = reach(merged[node], true, ~0u);
    related.merge(reach(merged[node], false, ~0u));
    related.insert(merged[node]);
    return withMerged(related);
  }

  void merge(unsigned a, unsigned b) {
    std::replace(merged.begin(), merged.end(), unsigned(merged[b]), unsigned(merged[a]));
  }
};
} // namespace

TEST(ContractedDag, AgreesWithASearchThroughAllEdges) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const unsigned numNodes = 2 + random() % 16;
    PlainGraph plain(random, numNodes, random() % (2 * numNodes));
    ContractedDag graph(numNodes, plain.edges);
    for (int step = 0; step < 40; ++step) {
      const unsigned a = random() % numNodes, b = random() % numNodes;
      if (plain.merged[a] == plain.merged[b])
        continue;
      const llvm::BitVector between = plain.getBetween(a, b);
      ASSERT_EQ(graph.isAnyBetween(a, b), between.any()) << "round " << round << ", step " << step;
      const llvm::BitVector related = graph.getRelated(a), expected = plain.getRelated(a);
      for (unsigned node = 0; node < numNodes; ++node) {
        auto isIt = [&](unsigned other) { return graph.getLeader(other) == graph.getLeader(node); };
        const std::optional<unsigned> found = graph.findBetween(a, b, isIt);
        ASSERT_EQ(found && isIt(*found), between.test(node)) << "round " << round << ", step " << step;
        ASSERT_EQ(related.test(graph.getLeader(node)), expected.test(node)) << "round " << round << ", step " << step;
      }
      if (between.none()) {
        plain.merge(a, b);
        graph.merge(a, b);
      }
    }
  }
}

/// Each merge puts two nodes right before node 0, until there is no number left between their neighbours' places.
TEST(ContractedDag, OrderHasRoomForManyMergesAtOnePlace) {
  constexpr unsigned kMerges = 200;
  std::vector<ContractedDag::Edge> edges;
  for (unsigned i = 0; i < kMerges; ++i) {
    const unsigned reader = 4 * i + 1, far = reader + 1, near = reader + 2, target = reader + 3;
    edges.insert(edges.end(), {{0, reader}, {far, near}, {near, target}});
  }
  ContractedDag graph(4 * kMerges + 1, edges);
  for (unsigned i = 0; i < kMerges; ++i)
    graph.merge(0, 4 * i + 4);
  for (unsigned i = 0; i < kMerges; ++i) {
    EXPECT_TRUE(graph.isAnyBetween(4 * i + 2, 0)) << i; // the near one
    EXPECT_FALSE(graph.isAnyBetween(4 * i + 3, 0)) << i;
  }
}
