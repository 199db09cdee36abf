// The graphs of Brevo: who depends on whom, without a cycle.
#pragma once

#include "tasks/common/random.h"

#include <array>
#include <cstdint>
#include <vector>

namespace stretto::tasks {

// Nodes 0 .. size()-1. Parents of a node have smaller numbers; the first nodes are leaves and have none.
class Dag {
public:
  static constexpr uint32_t most = 4; // parents of a node, and children

  struct Parents {
    uint32_t count = 0;
    std::array<uint32_t, most> nodes{};

    const uint32_t *begin() const { return nodes.data(); }
    const uint32_t *end() const { return nodes.data() + count; }
  };

  // The published law, n >= 3: the number of leaves is uniform in 1 .. floor((n-1)/4) + 1. Every later node in turn
  // takes c parents, c uniform in 1 .. min(4, a), a uniform subset of the `a` earlier nodes that have fewer than four
  // children (a >= 1 always: i nodes have room for 4 i children, and at most 4 (i - leaves) are taken).
  static Dag draw(Random &random, int64_t n);

  explicit Dag(std::vector<Parents> parents) : parents(std::move(parents)) {}

  size_t size() const { return parents.size(); }
  const Parents &parentsOf(uint32_t node) const { return parents[node]; }

  // `query` and all its ancestors, parents first, `query` at the end. The published law, which is not uniform over the
  // valid orders: the order is made from its end; each time one of the nodes all of whose children in the answer stand
  // already is taken, uniformly.
  std::vector<uint32_t> drawOrder(Random &random, uint32_t query) const;

  // Edges on the shortest way from `query` back to a leaf.
  int64_t depth(uint32_t query) const;

private:
  std::vector<Parents> parents;
};

} // namespace stretto::tasks
