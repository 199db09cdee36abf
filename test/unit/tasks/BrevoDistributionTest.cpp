// What Brevo promises about its graphs and orders, against enumerations and the numbers measured on the published
// generator. Fixed seeds; each chi-square test would fail for one fair generator of 1000 (Fair.h).
#include "BrevoReader.h"
#include "Fair.h"
#include "tasks/brevo/brevo.h"
#include "tasks/brevo/dag.h"
#include "tasks/brevo/lengths.h"

#include <cmath>
#include <numeric>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;
using namespace stretto::test;

using Name = BrevoInstance::Name;
using Edges = std::set<std::pair<int, int>>;

// The same for graphs that differ only in what their nodes are called; node 0 is the query.
static Edges canonical(const Edges &edges, int nodes) {
  static std::map<Edges, Edges> known;
  if (auto found = known.find(edges); found != known.end())
    return found->second;
  std::vector<int> order(size_t(nodes), 0);
  std::iota(order.begin(), order.end(), 0);
  Edges best;
  do {
    Edges renamed;
    for (auto [from, to] : edges)
      renamed.emplace(order[size_t(from)], order[size_t(to)]);
    if (best.empty() || renamed < best)
      best = renamed;
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return known[edges] = best;
}

// Numbers the nodes that edges touch, the query first, and canonicalises.
template <typename Node> static Edges shape(const std::vector<std::pair<Node, Node>> &edges, const Node &query) {
  std::map<Node, int> numbers = {{query, 0}};
  Edges numbered;
  for (const auto &[from, to] : edges) {
    numbers.emplace(from, int(numbers.size()));
    numbers.emplace(to, int(numbers.size()));
    numbered.emplace(numbers.at(from), numbers.at(to));
  }
  return canonical(numbered, int(numbers.size()));
}

// The published law of graphs by going through all choices.
class GraphLaw {
public:
  GraphLaw(int n, std::vector<int> queries) : n(n), queries(std::move(queries)) {
    for (int leaves = 1; leaves <= (n - 1) / 4 + 1; ++leaves)
      choose(leaves, 1.0 / ((n - 1) / 4 + 1));
  }
  std::map<Edges, double> shapes;

private:
  void choose(int node, double chance) {
    if (node == n) {
      for (int query : queries)
        shapes[shape(edges, query)] += chance / double(queries.size());
      return;
    }
    std::vector<int> free;
    for (int earlier = 0; earlier < node; ++earlier)
      if (std::ranges::count(edges, earlier, &std::pair<int, int>::first) < 4)
        free.push_back(earlier);
    const int most = std::min(4, int(free.size()));
    std::vector<std::vector<int>> subsets(5); // as bit sets, by size
    for (int bits = 1; bits < 1 << free.size(); ++bits)
      if (std::popcount(unsigned(bits)) <= most)
        subsets[size_t(std::popcount(unsigned(bits)))].push_back(bits);
    for (int count = 1; count <= most; ++count)
      for (int bits : subsets[size_t(count)]) {
        const size_t before = edges.size();
        for (size_t i = 0; i < free.size(); ++i)
          if (bits >> i & 1)
            edges.emplace_back(free[i], node);
        choose(node + 1, chance / most / double(subsets[size_t(count)].size()));
        edges.resize(before);
      }
  }
  int n;
  std::vector<int> queries;
  std::vector<std::pair<int, int>> edges;
};

static std::map<Edges, double> drawnShapes(const Task &task, int64_t count) {
  std::map<Edges, double> counts;
  forFirstInstances(task, Stream::Evaluation, count,
                    [&](const BrevoInstance &instance) { ++counts[shape(instance.edges, instance.query)]; });
  return counts;
}

// Leaves, parents and the limit of four children at once: six nodes, of which one may have five that could be children.
TEST(BrevoDistribution, graphsOfSixNodes) {
  auto task = makeTask("brevo1", {{"n", "6"}, {"v", "6"}, {"length", "40"}});
  expectFair(drawnShapes(*task, 20000), GraphLaw(6, {5}).shapes);
}

TEST(BrevoDistribution, queriesOfTheLastQuarter) {
  auto task = makeTask("brevo1", {{"n", "5"}, {"v", "5"}, {"length", "32"}, {"query", "last_quarter"}});
  expectFair(drawnShapes(*task, 20000), GraphLaw(5, {3, 4}).shapes);
}

// p(n) proportional to 1 / (n + sqrt(N)); with up to four nodes all of them are seen.
TEST(BrevoDistribution, sizes) {
  auto task = makeTask("brevo1", {{"n", "4"}, {"v", "4"}, {"length", "32"}});
  std::map<int64_t, double> counts;
  forFirstInstances(*task, Stream::Train, 20000,
                    [&](const BrevoInstance &instance) { ++counts[int64_t(instance.nodes().size())]; });
  expectFair<int64_t>(counts, {{3, 1 / (3 + 2.0)}, {4, 1 / (4 + 2.0)}});
}

// The full triangle tells its nodes and edges apart: every assignment of names and every order of edges is as likely.
TEST(BrevoDistribution, namesAndEdgeOrders) {
  auto task = makeTask("brevo1", {{"n", "3"}, {"v", "4"}, {"length", "13"}});
  std::map<std::vector<Name>, double> names;
  std::map<std::string, double> orders;
  forFirstInstances(*task, Stream::Train, 30000, [&](const BrevoInstance &instance) {
    if (instance.edges.size() < 3)
      return;
    ++names[instance.answer];
    std::string order;
    for (const auto &[from, to] : instance.edges)
      order += std::to_string(instance.parentsOf(from).size()) + std::to_string(instance.parentsOf(to).size()) + " ";
    ++orders[order];
  });
  ASSERT_EQ(names.size(), 24u);
  ASSERT_EQ(orders.size(), 6u);
  auto weights = [](auto counts) {
    for (auto &[value, count] : counts)
      count = 1;
    return counts;
  };
  expectFair(names, weights(names));
  expectFair(orders, weights(orders));
}

// Numbers of leaves and parents, and the limit of children, at the hardest size.
TEST(BrevoDistribution, degrees) {
  Random random(3, 7, 0);
  std::map<int64_t, double> leaves, parents;
  for (int i = 0; i < 3000; ++i) {
    const Dag dag = Dag::draw(random, 110);
    std::vector<int> children(110, 0);
    int64_t withoutParents = 0;
    for (uint32_t node = 0; node < 110; ++node) {
      const auto &own = dag.parentsOf(node);
      if (own.count == 0) {
        ASSERT_EQ(node, withoutParents++) << "leaves come first";
      }
      if (own.count && std::count_if(children.begin(), children.begin() + node, [](int c) { return c < 4; }) >= 4)
        ++parents[own.count];
      for (uint32_t parent : own) {
        ASSERT_LT(parent, node);
        ASSERT_LE(++children[parent], 4);
      }
    }
    ++leaves[withoutParents];
  }
  expectFair(leaves, equalWeights<int64_t>(1, 28));
  expectFair(parents, equalWeights<int64_t>(1, 4));
}

// The orders that can be built from the end, each step uniform among the nodes that may come next, with their chances.
static void ordersFromTheEnd(const BrevoInstance &instance, std::vector<Name> tail, double chance,
                             std::map<std::vector<Name>, double> &orders) {
  const std::set<Name> all = instance.reachable();
  if (tail.size() == all.size()) {
    orders[tail] = chance;
    return;
  }
  auto stands = [&](const Name &node) { return std::ranges::find(tail, node) != tail.end(); };
  std::vector<Name> ready;
  for (const Name &node : all)
    if (!stands(node) && std::ranges::all_of(instance.edges, [&](const auto &edge) {
          return edge.first != node || !all.contains(edge.second) || stands(edge.second);
        }))
      ready.push_back(node);
  for (const Name &node : ready) {
    std::vector<Name> longer = tail;
    longer.insert(longer.begin(), node);
    ordersFromTheEnd(instance, longer, chance / double(ready.size()), orders);
  }
}

// Each order lies at a random point of the share of [0, 1) that its chance gives it; those points are uniform.
TEST(BrevoDistribution, ordersOfAnswers) {
  auto task = makeTask("brevo1", {{"n", "7"}, {"v", "7"}, {"length", "48"}});
  Random random(1, 9, 0);
  std::map<int64_t, double> counts;
  forFirstInstances(*task, Stream::Evaluation, 5000, [&](const BrevoInstance &instance) {
    std::map<std::vector<Name>, double> orders;
    ordersFromTheEnd(instance, {}, 1, orders);
    double below = 0;
    for (const auto &[order, chance] : orders) {
      if (order == instance.answer) {
        ++counts[int64_t((below + random.uniform() * chance) * 16)];
        return;
      }
      below += chance;
    }
    FAIL() << "an order that should not occur";
  });
  expectFair(counts, equalWeights<int64_t>(0, 15));
}

// Shares of depths 1 .. 5 and of the nodes that are ancestors at N = 110, about as they were measured on the published
// generator. (That depths are what they should be: BrevoScoreTest.)
TEST(BrevoDistribution, depthsAndAncestors) {
  Random random(3, 9, 0);
  std::map<int64_t, double> depths;
  double reached = 0;
  const int count = 20000;
  for (int i = 0; i < count; ++i) {
    const Dag dag = Dag::draw(random, 110);
    ++depths[dag.depth(109)];
    reached += double(dag.drawOrder(random, 109).size());
  }
  const double expected[] = {0, 0.10, 0.38, 0.30, 0.15, 0.06};
  for (int64_t depth = 1; depth <= 5; ++depth)
    EXPECT_NEAR(depths[depth] / count, expected[depth], 0.02) << depth;
  EXPECT_NEAR(reached / count / 110, 0.35, 0.01);
}

// Mean numbers of tokens of an instance that were measured on the published generator.
TEST(BrevoDistribution, publishedLengths) {
  struct Case {
    const char *task, *n;
    double training, evaluation;
  };
  for (Case c : {Case{"brevo1", "70", 127, 338}, Case{"brevo1", "110", 184, 522}, Case{"brevo2", "30", 184, 446},
                 Case{"brevo2", "50", 287, 759}}) {
    std::map<std::string, std::string> settings = {{"n", c.n}};
    if (c.task == std::string("brevo1"))
      settings["v"] = c.n;
    auto task = makeTask(c.task, settings);
    auto mean = [&](Stream stream, int64_t count) {
      double sum = 0;
      forFirstInstances(*task, stream, count, [&](const BrevoInstance &instance) {
        sum += double(instance.prompt.size() + instance.answerTokens.size());
      });
      return sum / double(count);
    };
    EXPECT_NEAR(mean(Stream::Train, 2000), c.training, 0.06 * c.training) << c.task << " N=" << c.n;
    EXPECT_NEAR(mean(Stream::Evaluation, 300), c.evaluation, 0.025 * c.evaluation) << c.task << " N=" << c.n;
  }
}

// Bounds on edges: exact for one node too many, and never too low.
TEST(BrevoDistribution, boundsOnEdges) {
  EXPECT_EQ(mostEdges(3), 3);
  EXPECT_EQ(mostEdges(110), 430);
  EXPECT_EQ(likelyEdges(4, 1e-6), 6);
  // Two nodes more than 3: parents in 1..2 (node 2) and 1..3 (node 3); six edges in one of six graphs.
  EXPECT_EQ(likelyEdges(4, 0.17), 5);
  EXPECT_EQ(likelyEdges(4, 0.16), 6);
  Random random(3, 8, 0);
  const int64_t bound = likelyEdges(50, 0.01);
  int above = 0;
  for (int i = 0; i < 20000; ++i) {
    int64_t edges = 0;
    const Dag dag = Dag::draw(random, 50);
    for (uint32_t node = 0; node < 50; ++node)
      edges += dag.parentsOf(node).count;
    above += edges > bound;
  }
  EXPECT_LT(above, 200);
}
