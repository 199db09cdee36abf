// Brevo's instances against a reader of their own.
#include "tasks/brevo/brevo.h"
#include "BrevoReader.h"

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;
using namespace stretto::test;

using Name = BrevoInstance::Name;

static void checkInstance(const BrevoInstance &instance, int64_t n) {
  std::map<Name, int64_t> parents, children;
  std::set<std::pair<Name, Name>> distinct(instance.edges.begin(), instance.edges.end());
  ASSERT_EQ(distinct.size(), instance.edges.size()) << "an edge stands twice";
  for (const auto &[from, to] : instance.edges) {
    ASSERT_LE(++parents[to], 4);
    ASSERT_LE(++children[from], 4);
  }
  ASSERT_LE(int64_t(instance.nodes().size()), n);
  ASSERT_FALSE(instance.parentsOf(instance.query).empty());
  std::set<Name> before;
  for (const Name &node : instance.answer) {
    for (const Name &parent : instance.parentsOf(node))
      ASSERT_TRUE(before.contains(parent)) << "a node stands before its parent";
    ASSERT_TRUE(before.insert(node).second) << "a node stands twice";
  }
  ASSERT_EQ(before, instance.reachable());
  ASSERT_EQ(instance.answer.back(), instance.query);
}

static void checkRows(const Task &task, Stream stream, uint64_t rows) {
  const int64_t n = std::stoll(task.settings().at("n"));
  for (uint64_t sample = 0; sample < rows; ++sample) {
    Batch batch(task, 11, stream, sample, 1);
    std::vector<BrevoInstance> instances = readBrevo(task, batch, 0);
    ASSERT_TRUE(instances[0].whole);
    for (const BrevoInstance &instance : instances)
      if (instance.whole)
        checkInstance(instance, n);
    if (testing::Test::HasFatalFailure())
      FAIL() << "in sample " << sample;
  }
}

TEST(Brevo, instancesAreRight1) {
  checkRows(*makeTask("brevo1", {}), Stream::Train, 300);
  checkRows(*makeTask("brevo1", {{"n", "110"}, {"v", "110"}, {"query", "last_quarter"}}), Stream::Evaluation, 60);
}

TEST(Brevo, instancesAreRight2) {
  checkRows(*makeTask("brevo2", {}), Stream::Train, 300);
  checkRows(*makeTask("brevo2", {{"n", "50"}}), Stream::Evaluation, 60);
}

// All names of the alphabet taken; rows as short as they may be.
TEST(Brevo, smallestAlphabetAndRow) {
  checkRows(*makeTask("brevo1", {{"n", "3"}, {"v", "3"}, {"length", "13"}}), Stream::Train, 500);
  checkRows(*makeTask("brevo2", {{"n", "6"}, {"v", "2"}, {"r_min", "1"}, {"r_max", "2"}, {"length", "96"}}),
            Stream::Evaluation, 500);
}

// Instances that are too long for a row are drawn again (never at sizes that the constructor accepts, but for freaks;
// so the row is shortened behind its back).
TEST(Brevo, instancesThatAreTooLongAreDrawnAgain) {
  struct Short : BrevoTask {
    using BrevoTask::BrevoTask;
    int64_t length() const override { return 50; }
  };
  Short task(Parameters("brevo1", BrevoTask::parameterInfos1(), {{"n", "12"}}));
  checkRows(task, Stream::Evaluation, 300);
  EXPECT_EQ(task.makeRow(1, Stream::Evaluation, 0).tokens.size(), 51u);
}

// Exactly <answer>, the answer and <end> count for the loss.
TEST(Brevo, lossMask) {
  for (const char *name : {"brevo1", "brevo2"}) {
    auto task = makeTask(name, {{"n", "6"}, {"length", "300"}});
    Batch batch(*task, 3, Stream::Train, 0, 50);
    for (int64_t r = 0; r < batch.batch; ++r) {
      std::vector<uint8_t> expected(batch.length + 1, 0);
      for (const BrevoInstance &instance : readBrevo(*task, batch, r))
        if (instance.answerAt)
          std::fill_n(expected.begin() + instance.answerAt - 1, 1 + instance.answerTokens.size(), 1);
      std::vector<uint8_t> mask(batch.mask.begin() + r * batch.length, batch.mask.begin() + (r + 1) * batch.length);
      EXPECT_EQ(mask, std::vector<uint8_t>(expected.begin() + 1, expected.end()));
    }
  }
}

// A graph of n nodes is at most n-1 deep; nine and more are one group.
TEST(Brevo, depthsAreGroups) {
  auto groups = [](const char *n) {
    return BrevoTask(Parameters("brevo1", BrevoTask::parameterInfos1(), {{"n", n}})).groups();
  };
  EXPECT_EQ(groups("3"), (std::vector<std::string>{"depth=1", "depth=2"}));
  EXPECT_EQ(groups("10").size(), 9u);
  EXPECT_EQ(groups("10").back(), "depth=9");
  EXPECT_EQ(groups("11").size(), 9u);
  EXPECT_EQ(groups("11").back(), "depth=9+");
}

TEST(Brevo, publishedIds) {
  auto one = makeTask("brevo1", {{"n", "3"}, {"v", "4"}}), two = makeTask("brevo2", {});
  EXPECT_EQ(publishedIds(*one), (std::vector<int32_t>{9999, 9997, 9998, 9998, 1, 2, 3, 4}));
  EXPECT_EQ(publishedIds(*two), (std::vector<int32_t>{9999, 9997, 9998, 9998, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(one->vocabulary(), 8);
  EXPECT_EQ(two->vocabulary(), 12);
}

TEST(Brevo, textSaysWhatTheTokensSay) {
  auto task = makeTask("brevo1", {{"n", "4"}, {"v", "26"}, {"length", "40"}});
  Batch batch(*task, 3, Stream::Evaluation, 0, 20);
  auto text = [](const Name &name) { return std::string(1, char('a' + name[0] - 4)); };
  for (int64_t r = 0; r < batch.batch; ++r) {
    std::string expected;
    for (const BrevoInstance &instance : readBrevo(*task, batch, r)) {
      if (!instance.whole)
        break;
      expected += std::to_string(instance.edges.size()) + " edges:";
      for (const auto &[from, to] : instance.edges)
        expected.append(" ").append(text(from)).append("->").append(text(to));
      expected.append("\n  what leads to ").append(text(instance.query)).append(":");
      for (const Name &name : instance.answer)
        expected.append(" ").append(text(name));
      expected += "\n";
    }
    EXPECT_TRUE(task->describe(batch.view(), r).starts_with(expected)) << task->describe(batch.view(), r);
  }
}

static std::string makeError(const std::string &name, const std::map<std::string, std::string> &settings) {
  return errorOf([&] { makeTask(name, settings); });
}

TEST(Brevo, parametersMustGoTogether) {
  EXPECT_EQ(makeError("brevo1", {{"n", "71"}}),
            "task 'brevo1': parameter 'n' must be at most 70, the number of names that v, r_min and r_max allow, but "
            "got 71");
  EXPECT_EQ(makeError("brevo2", {{"n", "337"}, {"length", "10000"}}),
            "task 'brevo2': parameter 'n' must be at most 336, the number of names that v, r_min and r_max allow, but "
            "got 337");
  // Small graphs are never rare: the longest one counts. 6 edges, 4 nodes: 1 + 12 + 3 + 4 + 1 = 21 tokens.
  EXPECT_EQ(makeError("brevo1", {{"n", "4"}, {"length", "19"}}),
            "task 'brevo1': parameter 'length' must be at least 20, the bound by which all but one in a million "
            "instances fit whatever their names (the longest possible has 21 tokens), but got 19");
  EXPECT_EQ(makeError("brevo1", {{"n", "4"}, {"length", "20"}}), "");
  EXPECT_EQ(
      makeError("brevo2", {{"n", "50"}, {"length", "1024"}}),
      "task 'brevo2': parameter 'length' must be at least 1447, the bound by which all but one in a million instances "
      "fit whatever their names (the longest possible has 1728 tokens), but got 1024");
  EXPECT_EQ(makeError("brevo1", {{"query", "lost"}}),
            "task 'brevo1': parameter 'query' must be last|last_quarter, but got 'lost'; did you mean 'last'?");
}
