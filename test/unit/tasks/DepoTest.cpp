// Depo's instances, read back and solved.
#include "DepoReader.h"

#include <cmath>
#include <cstdlib>
#include <set>

using namespace stretto;
using namespace stretto::tasks;
using namespace stretto::runtime;
using namespace stretto::test;

static void checkCycle(const DepoInstance &instance, int64_t rMin, int64_t rMax) {
  std::map<Word, Word> next(instance.edges.begin(), instance.edges.end());
  ASSERT_EQ(next.size(), instance.edges.size()) << "two edges leave one node";
  Word node = instance.edges[0].first;
  for (size_t i = 0; i < next.size(); ++i) {
    ASSERT_GE(int64_t(node.size()), rMin);
    ASSERT_LE(int64_t(node.size()), rMax);
    ASSERT_TRUE(next.contains(node));
    node = next.at(node);
    ASSERT_EQ(node == instance.edges[0].first, i + 1 == next.size()) << "not one cycle through all nodes";
  }
}

static void checkQuestions(const DepoInstance &instance, size_t queries, int64_t k) {
  std::set<Word> asked;
  if (instance.whole) {
    ASSERT_EQ(instance.questions.size(), std::min(queries, instance.edges.size()));
  }
  for (const Question &question : instance.questions) {
    ASSERT_GE(question.steps, 1);
    ASSERT_LE(question.steps, k);
    if (!question.whole)
      continue;
    ASSERT_TRUE(asked.insert(question.from).second) << "one node asked twice";
    ASSERT_EQ(question.answer, solve(instance, question));
  }
}

// Structure and labels of `count` instances, one row after another.
static void checkInstances(const Task &task, Stream stream, int64_t count) {
  auto settings = task.settings();
  int64_t n = std::stoll(settings["n"]), k = std::stoll(settings["k"]), queries = std::stoll(settings["queries"]);
  int64_t rMin = std::stoll(settings["r_min"]), rMax = std::stoll(settings["r_max"]);
  for (uint64_t sample = 0; count > 0; ++sample) {
    Batch batch(task, 11, stream, sample, 1);
    std::vector<DepoInstance> instances = readDepo(task, batch, 0);
    ASSERT_FALSE(instances[0].questions.empty() || !instances[0].questions.back().whole) << "first one cut";
    for (const DepoInstance &instance : instances) {
      --count;
      if (instance.questions.empty())
        continue; // cut among its edges
      ASSERT_GE(instance.edges.size(), 3u);
      ASSERT_LE(int64_t(instance.edges.size()), n);
      if (stream == Stream::Evaluation) {
        ASSERT_EQ(int64_t(instance.edges.size()), n);
      }
      checkCycle(instance, rMin, rMax);
      checkQuestions(instance, size_t(queries), k);
      if (testing::Test::HasFatalFailure())
        FAIL() << "in sample " << sample;
    }
  }
}

// 20,000, or as many as the environment says.
static int64_t instanceCount() {
  const char *text = std::getenv("STRETTO_TEST_INSTANCES");
  return text ? std::atoll(text) : 20000;
}

TEST(Depo, instancesAreRight1) { checkInstances(*makeTask("depo1", {}), Stream::Train, instanceCount()); }

TEST(Depo, instancesAreRight2) { checkInstances(*makeTask("depo2", {}), Stream::Train, instanceCount()); }

TEST(Depo, evaluationInstancesAreRight) {
  checkInstances(*makeTask("depo1", {{"n", "20"}, {"length", "256"}}), Stream::Evaluation, 2000);
  checkInstances(*makeTask("depo2", {{"n", "20"}, {"length", "512"}}), Stream::Evaluation, 2000);
}

// All names of the alphabet taken, one letter each, and more steps than nodes.
TEST(Depo, smallestAlphabet) {
  checkInstances(*makeTask("depo1", {{"n", "5"}, {"v", "5"}, {"r_max", "1"}, {"k", "12"}, {"length", "64"}}),
                 Stream::Train, 500);
}

// Exactly the answer token and the letters of answers count for the loss.
TEST(Depo, lossMask) {
  auto task = makeTask("depo2", {{"n", "6"}, {"length", "300"}});
  Batch batch(*task, 3, Stream::Train, 0, 50);
  for (int64_t r = 0; r < batch.batch; ++r) {
    std::vector<uint8_t> expected(batch.length + 1, 0);
    for (const DepoInstance &instance : readDepo(*task, batch, r))
      for (const Question &question : instance.questions)
        if (question.answerAt)
          std::fill_n(expected.begin() + question.answerAt - 1, 1 + question.answer.size(), 1);
    std::vector<uint8_t> mask(batch.mask.begin() + r * batch.length, batch.mask.begin() + (r + 1) * batch.length);
    EXPECT_EQ(mask, std::vector<uint8_t>(expected.begin() + 1, expected.end()));
  }
}

TEST(Depo, compactIdsFillTheVocabulary) {
  auto task = makeTask("depo1", {{"n", "20"}, {"length", "256"}, {"v", "15"}});
  EXPECT_EQ(task->vocabulary(), 2 + 8 + 2 * 15);
  std::set<int32_t> seen;
  Batch batch(*task, 3, Stream::Train, 0, 200);
  seen.insert(batch.tokens.begin(), batch.tokens.end());
  EXPECT_EQ(int64_t(seen.size()), task->vocabulary());
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), task->vocabulary() - 1);
  auto shortNames = makeTask("depo1", {{"n", "10"}, {"length", "128"}, {"r_max", "1"}});
  EXPECT_EQ(shortNames->vocabulary(), 2 + 8 + 50);
}

TEST(Depo, textSaysWhatTheTokensSay) {
  auto task = makeTask("depo2", {{"n", "3"}, {"k", "1"}, {"queries", "1"}, {"length", "80"}});
  Batch batch(*task, 3, Stream::Evaluation, 0, 1);
  DepoInstance instance = readDepo(*task, batch, 0)[0];
  auto text = [](const Word &word) {
    std::string letters;
    for (int32_t token : word)
      letters += char('a' + (token - 1) % 3);
    return letters;
  };
  std::string expected = "3 edges:";
  for (const auto &[from, to] : instance.edges)
    expected.append(" ").append(text(from)).append("->").append(text(to));
  const Question &question = instance.questions[0];
  expected.append("\n  1 step from ").append(text(question.from));
  expected.append(": ").append(text(question.answer)).append("\n");
  EXPECT_TRUE(task->describe(batch.view(), 0).starts_with(expected)) << task->describe(batch.view(), 0);
}

// Naming the first node of the first edge every time is right for one question in n: each node is one node's next.
TEST(DepoScore, floorOfTheTrivialGuesser) {
  const int64_t n = 8, rows = 200;
  auto task = makeTask("depo1", {{"n", "8"}, {"k", "1"}, {"v", "16"}, {"r_max", "1"}, {"length", "128"}});
  Batch batch(*task, 5, Stream::Evaluation, 0, rows);
  std::vector<int32_t> guesses(batch.tokens.size());
  for (size_t t = 1; t < guesses.size(); ++t)
    guesses[t] = batch.positions[t] == 1 ? batch.tokens[t] : guesses[t - 1];
  const Score score = task->score(5, 0, batch.view(), {guesses, {}}).at(0);
  EXPECT_EQ(score.name, "accuracy/k=1");
  EXPECT_GT(score.count, 1000);
  const double floor = 1.0 / double(n);
  EXPECT_NEAR(score.result(), floor, 5 * std::sqrt(floor * (1 - floor) / double(score.count)));
}
