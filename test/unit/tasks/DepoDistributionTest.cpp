// What Depo promises about sizes, hops and permutations.
#include "DepoReader.h"
#include "Fair.h"

using namespace stretto;
using namespace stretto::tasks;
using namespace stretto::runtime;
using namespace stretto::test;

// The first instance of a row is never cut, so it is a fair sample of the distribution.
static std::vector<DepoInstance> firstInstances(const Task &task, Stream stream, int64_t count) {
  std::vector<DepoInstance> instances;
  for (int64_t i = 0; i < count; ++i) {
    Batch batch(task, 5, stream, uint64_t(i), 1);
    instances.push_back(readDepo(task, batch, 0)[0]);
  }
  return instances;
}

// p(n) proportional to 1 / (n + sqrt(N)), n = 3..N.
TEST(DepoDistribution, sizes) {
  auto task = makeTask("depo1", {{"n", "16"}, {"r_max", "1"}, {"length", "80"}});
  std::map<int64_t, double> counts, weights;
  for (const DepoInstance &instance : firstInstances(*task, Stream::Train, 20000))
    ++counts[int64_t(instance.edges.size())];
  for (int64_t n = 3; n <= 16; ++n)
    weights[n] = 1 / (double(n) + 4);
  expectFair(counts, weights);
}

static std::map<int64_t, double> countSteps(const Task &task, Stream stream) {
  std::map<int64_t, double> counts;
  for (const DepoInstance &instance : firstInstances(task, stream, 3000))
    for (const Question &question : instance.questions)
      ++counts[question.steps];
  return counts;
}

TEST(DepoDistribution, steps) {
  auto task = makeTask("depo1", {{"n", "5"}, {"k", "12"}, {"r_max", "1"}, {"length", "64"}});
  std::map<int64_t, double> weights;
  for (int64_t k = 1; k <= 12; ++k)
    weights[k] = 1;
  expectFair(countSteps(*task, Stream::Train), weights);
  expectFair<int64_t>(countSteps(*task, Stream::Evaluation), {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {12, 1}});
}

// With three names, a cycle is one of two; the three edges come in one of six orders.
TEST(DepoDistribution, cyclesAndEdgeOrders) {
  auto task = makeTask("depo1", {{"n", "3"}, {"v", "3"}, {"r_max", "1"}, {"length", "32"}});
  std::map<int64_t, double> counts;
  for (const DepoInstance &instance : firstInstances(*task, Stream::Train, 12000)) {
    int64_t code = 0;
    for (const auto &[from, to] : instance.edges)
      code = code * 9 + (from[0] - 4) * 3 + (to[0] - 4);
    ++counts[code];
  }
  ASSERT_EQ(counts.size(), 12u);
  std::map<int64_t, double> weights;
  for (const auto &[code, count] : counts)
    weights[code] = 1;
  expectFair(counts, weights);
}

// Lengths 1 and 2 are equally likely while short names are free: of two names drawn from v = 1000 letters,
// each is short with probability 1/2 (but for collisions, 1 in 2000).
TEST(DepoDistribution, nameLengths) {
  auto task = makeTask("depo1", {{"n", "3"}, {"v", "1000"}, {"length", "32"}});
  std::map<int64_t, double> counts;
  for (const DepoInstance &instance : firstInstances(*task, Stream::Train, 5000))
    for (const auto &edge : instance.edges)
      ++counts[int64_t(edge.first.size())];
  expectFair<int64_t>(counts, {{1, 1}, {2, 1}});
}

// Short names must not gather at one end of the cycle: at n = 10 of v = 5 letters most short names are taken,
// and each edge's source is short as often as its neighbour's at any distance along the cycle would predict.
TEST(DepoDistribution, shortNamesSpreadOverTheCycle) {
  auto task = makeTask("depo1", {{"n", "10"}, {"v", "5"}, {"length", "128"}});
  double both = 0, pairs = 0, expected = 0;
  for (const DepoInstance &instance : firstInstances(*task, Stream::Evaluation, 20000)) {
    double shorts = 0, n = double(instance.edges.size());
    for (const auto &[from, to] : instance.edges) {
      shorts += from.size() == 1;
      both += from.size() == 1 && to.size() == 1;
    }
    // Uniform order: a short node's successor is one of the other n-1 nodes with equal chances.
    expected += shorts * (shorts - 1) / (n - 1);
    pairs += n;
  }
  EXPECT_NEAR(both / pairs, expected / pairs, 0.003);
}

// Token counts of instances that were measured on the published generator: training mean (n from the
// distribution) and evaluation mean (n = N).
TEST(DepoDistribution, publishedLengths) {
  struct Case {
    const char *task, *n;
    double training, evaluation;
  };
  for (Case c : {Case{"depo1", "225", 288, 860}, Case{"depo1", "375", 438, 1460}, Case{"depo2", "75", 456, 1040},
                 Case{"depo2", "125", 624, 1650}}) {
    auto task = makeTask(c.task, {{"n", c.n}});
    auto mean = [&](Stream stream, int64_t count) {
      double sum = 0;
      for (const DepoInstance &instance : firstInstances(*task, stream, count)) {
        sum += 1;
        for (const auto &[from, to] : instance.edges)
          sum += double(from.size() + to.size());
        for (const Question &question : instance.questions)
          sum += 2 + double(question.from.size() + question.answer.size());
      }
      return sum / double(count);
    };
    EXPECT_NEAR(mean(Stream::Train, 4000), c.training, 0.04 * c.training) << c.task << " N=" << c.n;
    EXPECT_NEAR(mean(Stream::Evaluation, 100), c.evaluation, 0.01 * c.evaluation) << c.task << " N=" << c.n;
  }
}
