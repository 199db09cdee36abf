// Brevo's scorers against all answers there are, for small graphs.
#include "BrevoReader.h"

using namespace stretto;
using namespace stretto::tasks;
using namespace stretto::runtime;
using namespace stretto::test;

using Name = BrevoInstance::Name;
using Tokens = std::vector<int32_t>;

static std::map<std::string, Score> byName(const std::vector<Score> &scores) {
  std::map<std::string, Score> named;
  for (const Score &score : scores)
    EXPECT_TRUE(named.emplace(score.name, score).second) << score.name << " occurs twice";
  return named;
}

// The reason for which one answer is refused; empty where it is accepted.
static std::string reasonFor(const Task &task, uint64_t sample, const Tokens &answer) {
  std::string reason;
  auto scores = byName(task.judge(5, sample, 1, std::vector<Tokens>{answer}));
  int64_t right = scores.at("generated/accuracy").right(), reasons = 0;
  for (const auto &[name, score] : scores)
    if (const std::string prefix = "generated/wrong/"; name.starts_with(prefix) && score.right()) {
      reason = name.substr(prefix.size());
      ++reasons;
    }
  EXPECT_EQ(right + reasons, 1);
  return reason;
}

static std::string expectedReason(const BrevoInstance &instance, const std::vector<Name> &answer,
                                  const std::set<std::vector<Name>> &valid) {
  const std::set<Name> all = instance.reachable(), listed(answer.begin(), answer.end());
  if (valid.contains(answer))
    return "";
  if (!std::ranges::includes(all, listed))
    return "foreign";
  return listed.size() < answer.size() ? "duplicate" : listed.size() < all.size() ? "missing" : "order";
}

// Every sequence of up to n names.
template <typename F> static void forAllSequences(const std::vector<Name> &names, size_t n, F look) {
  std::vector<Name> sequence;
  auto extend = [&](auto &self) -> void {
    look(sequence);
    if (sequence.size() == n)
      return;
    for (const Name &name : names) {
      sequence.push_back(name);
      self(self);
      sequence.pop_back();
    }
  };
  extend(extend);
}

TEST(BrevoScore, acceptsAllValidOrdersAndNothingElse) {
  auto task = makeTask("brevo1", {{"n", "5"}, {"v", "5"}, {"length", "32"}});
  const std::vector<Name> names = {{4}, {5}, {6}, {7}, {8}};
  int64_t accepted = 0;
  for (uint64_t sample = 0; sample < 8; ++sample) {
    const BrevoInstance instance = readBrevo(*task, Batch(*task, 5, Stream::Evaluation, sample, 1), 0)[0];
    const auto valid = instance.validOrders();
    forAllSequences(names, 5, [&](const std::vector<Name> &answer) {
      const std::string reason = reasonFor(*task, sample, spell(answer));
      ASSERT_EQ(reason, expectedReason(instance, answer, valid));
      accepted += reason.empty();
    });
    accepted -= int64_t(valid.size());
  }
  EXPECT_EQ(accepted, 0);
}

TEST(BrevoScore, oracleIsRightEverywhere) {
  for (const char *name : {"brevo1", "brevo2"}) {
    auto task = makeTask(name, {{"n", "20"}});
    const int64_t rows = 40;
    Batch batch(*task, 5, Stream::Evaluation, 100, rows);
    std::vector<Tokens> answers;
    std::map<std::string, int64_t> depths;
    for (int64_t r = 0; r < rows; ++r) {
      const BrevoInstance instance = readBrevo(*task, batch, r)[0];
      answers.push_back(instance.answerTokens);
      ++depths["generated/accuracy/depth=" + std::to_string(instance.depth())];
    }
    std::vector<Score> scores = task->judge(5, 100, rows, answers);
    EXPECT_EQ(scores[0].name, "generated/accuracy");
    for (const Score &score : scores) {
      const bool isDepth = score.name.find("depth=") != std::string::npos;
      const bool isWrong = score.name.find("wrong") != std::string::npos;
      EXPECT_EQ(score.count, isDepth ? depths[score.name] : rows) << score.name;
      EXPECT_EQ(score.right(), isWrong ? 0 : score.count) << score.name;
    }
    for (const Score &score : task->score(5, 100, batch.view(), {batch.targets, {}}))
      EXPECT_EQ(score.right(), score.count) << score.name;
    EXPECT_EQ(task->score(5, 100, batch.view(), {batch.targets, {}})[0].name, "valid_answers");
  }
}

// One answer for each reason, with names of several letters.
TEST(BrevoScore, wrongAnswersAreRefusedForTheRightReason) {
  auto task = makeTask("brevo2", {{"n", "12"}});
  uint64_t sample = 0;
  BrevoInstance instance;
  do
    instance = readBrevo(*task, Batch(*task, 5, Stream::Evaluation, ++sample, 1), 0)[0];
  while (instance.answer.size() < 5 || instance.answer.size() == instance.nodes().size());
  auto reason = [&](const Tokens &answer) { return reasonFor(*task, sample, answer); };
  const std::vector<Name> &right = instance.answer;
  const Tokens tokens = spell(right);
  EXPECT_EQ(reason(tokens), "");
  EXPECT_EQ(reason({}), "no_end");
  EXPECT_EQ(reason({tokens.begin(), tokens.end() - 1}), "no_end");
  EXPECT_EQ(reason({3}), "missing");

  auto changed = [&](auto change) {
    std::vector<Name> names = right;
    change(names);
    return reason(spell(names));
  };
  const std::set<Name> reached = instance.reachable();
  Name other;
  for (const Name &node : instance.nodes())
    if (!reached.contains(node))
      other = node;
  EXPECT_EQ(changed([&](auto &names) { names.insert(names.begin(), names[0]); }), "duplicate");
  EXPECT_EQ(changed([&](auto &names) { names.push_back(names.back()); }), "duplicate");
  EXPECT_EQ(changed([&](auto &names) { names.erase(names.begin()); }), "missing");
  EXPECT_EQ(changed([&](auto &names) { names.pop_back(); }), "missing");
  EXPECT_EQ(changed([&](auto &names) { names.insert(names.begin(), other); }), "foreign");
  EXPECT_EQ(changed([&](auto &names) { names[1].pop_back(); }), "foreign") << "a name that does not end";
  EXPECT_EQ(changed([&](auto &names) { names[0].insert(names[0].begin(), names[0][0]); }), "foreign");
  EXPECT_EQ(changed([&](auto &names) { std::ranges::reverse(names); }), "order");
  EXPECT_EQ(changed([&](auto &names) { std::swap(names.back(), names[names.size() - 2]); }), "order");
  for (int32_t special : {0, 1, 2, 3}) {
    Tokens with = tokens;
    with.insert(with.begin() + int64_t(right[0].size()), special);
    EXPECT_EQ(reason(with), "foreign") << special;
  }
}

TEST(BrevoScore, promptsEndWithTheQuestion) {
  auto task = makeTask("brevo2", {{"n", "20"}});
  const int64_t rows = 30;
  std::vector<Prompt> prompts = task->prompts(5, 7, rows);
  ASSERT_EQ(int64_t(prompts.size()), rows);
  Batch batch(*task, 5, Stream::Evaluation, 7, rows);
  for (int64_t r = 0; r < rows; ++r) {
    const BrevoInstance instance = readBrevo(*task, batch, r)[0];
    EXPECT_EQ(prompts[r].tokens, instance.prompt);
    EXPECT_EQ(prompts[r].tokens.back(), 2);
    EXPECT_EQ(prompts[r].end, 3);
    EXPECT_EQ(prompts[r].most, 20 * 4 + 1);
  }
  auto tight = makeTask("brevo1", {{"n", "6"}, {"v", "6"}, {"length", "38"}});
  for (const Prompt &prompt : tight->prompts(5, 0, 200))
    EXPECT_LE(int64_t(prompt.tokens.size()) + prompt.most, 39);
}

// Given the true tokens before, a token counts where some right answer has it there: every token at every place.
TEST(BrevoScore, validTokensAgreeWithAllOrders) {
  for (const char *name : {"brevo1", "brevo2"}) {
    const bool oneLetter = name == std::string("brevo1");
    auto task =
        makeTask(name, {{"n", "5"}, {"v", "5"}, {"r_min", "1"}, {"r_max", oneLetter ? "1" : "3"}, {"length", "110"}});
    Batch batch(*task, 5, Stream::Evaluation, 0, 12);
    for (int32_t guess = 0; guess < task->vocabulary(); ++guess) {
      int64_t right = 0, total = 0;
      for (int64_t r = 0; r < batch.batch; ++r) {
        const BrevoInstance instance = readBrevo(*task, batch, r)[0];
        const auto orders = instance.validOrders();
        Tokens prefix;
        for (int32_t token : instance.answerTokens) {
          prefix.push_back(guess);
          right += std::ranges::any_of(orders, [&](const std::vector<Name> &order) {
            Tokens whole = spell(order);
            return prefix.size() <= whole.size() && std::equal(prefix.begin(), prefix.end(), whole.begin());
          });
          ++total;
          prefix.back() = token;
        }
      }
      auto scores = byName(task->score(5, 0, batch.view(), {Tokens(batch.targets.size(), guess), {}}));
      EXPECT_EQ(scores.at("valid_tokens").right(), right) << name << " token " << guess;
      EXPECT_EQ(scores.at("valid_tokens").count, total);
      EXPECT_EQ(scores.at("valid_answers").right(), 0) << "no answer repeats one token";
      EXPECT_EQ(scores.at("valid_answers").count, batch.batch);
    }
  }
}
