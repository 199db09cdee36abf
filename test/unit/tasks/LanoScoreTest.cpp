// Lano's scores of models that know the language, or part of it.
#include "LanoLanguage.h"
#include "Support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

using namespace stretto;
using namespace stretto::tasks;
using namespace stretto::runtime;
using namespace stretto::test;

static const Score &scoreOf(const std::vector<Score> &scores, const std::string &name) {
  for (const Score &score : scores)
    if (score.name == name)
      return score;
  ADD_FAILURE() << "no score " << name;
  return scores.at(0);
}

// What a model that knows the whole language says about rows of the task.
namespace {
class Oracle {
public:
  explicit Oracle(const std::string &name) : grammar(findGrammar(name)) {
    for (const auto &[string, p] : languageOf(grammar)) {
      sentences[string] = double(p);
      for (size_t n = 0; n <= string.size(); ++n)
        openings[{string.begin(), string.begin() + int64_t(n)}] += double(p);
    }
  }

  // The distribution of the token after an opening of a sentence, terminals numbered from 0; first that it ends.
  std::vector<double> next(std::vector<int32_t> opening) const {
    const double mass = openings.at(opening);
    auto found = sentences.find(opening);
    std::vector<double> row = {found == sentences.end() ? 0 : found->second / mass};
    opening.push_back(0);
    for (int32_t t = 0; t < grammar.terminals; ++t) {
      opening.back() = t;
      auto further = openings.find(opening);
      row.push_back(further == openings.end() ? 0 : further->second / mass);
    }
    return row;
  }

  // Rows for each token of a batch.
  std::vector<std::vector<double>> distributions(const Batch &batch) const {
    std::vector<std::vector<double>> rows;
    std::vector<int32_t> opening;
    for (int32_t token : batch.tokens) {
      if (token == 0)
        opening.clear();
      else
        opening.push_back(token - 1);
      rows.push_back(next(opening));
    }
    return rows;
  }

  Grammar grammar;
  std::map<std::vector<int32_t>, double> sentences, openings;
};

// Predictions as the trainer hands them over, from a distribution for each token.
struct Said {
  Said(const Batch &batch, const std::vector<std::vector<double>> &rows) {
    for (size_t i = 0; i < rows.size(); ++i) {
      predicted.push_back(int32_t(std::ranges::max_element(rows[i]) - rows[i].begin()));
      nll.push_back(-std::log(rows[i][size_t(batch.targets[i])]));
      for (double p : rows[i])
        logProbabilities.push_back(std::log(p));
    }
  }
  Predictions view() const { return {predicted, nll, logProbabilities}; }

  std::vector<int32_t> predicted;
  std::vector<double> nll, logProbabilities;
};
} // namespace

TEST(LanoScore, aPerfectModelHasNoDivergence) {
  auto task = makeTask("lano", {{"grammar", "small"}, {"length", "64"}});
  EXPECT_TRUE(task->wantsDistribution());
  Batch batch(*task, 2, Stream::Evaluation, 10, 30);
  const std::vector<std::vector<double>> exact = Oracle("small").distributions(batch);
  const Said said(batch, exact);
  const std::vector<Score> scores = task->score(2, 10, batch.view(), said.view());
  EXPECT_EQ(scores[0].name, "kl") << "the headline";
  EXPECT_EQ(scores[0].count, 30 * 64);
  EXPECT_NEAR(scores[0].result(), 0, 1e-12);
  EXPECT_NEAR(scoreOf(scores, "excess_nll").result(), 0, 1e-12);
  const double loss = std::accumulate(said.nll.begin(), said.nll.end(), 0.) / double(said.nll.size());
  EXPECT_NEAR(scoreOf(scores, "ideal_nll").result(), loss, 1e-12);
  double best = 0;
  for (const std::vector<double> &row : exact)
    best += *std::ranges::max_element(row);
  EXPECT_NEAR(scoreOf(scores, "ideal_token_accuracy").result(), 100 * best / double(exact.size()), 1e-10);
  // Four standard errors: wrong in one of 16,000 fair cases.
  EXPECT_NEAR(scoreOf(scores, "token_accuracy").result(), best / double(exact.size()), 4 * 0.5 / std::sqrt(30 * 64));
}

// A model may know more tokens than the task has. What it expects of those is missing from the others, and is not
// asked.
TEST(LanoScore, aModelOfMoreTokens) {
  auto task = makeTask("lano", {{"grammar", "small"}, {"length", "64"}});
  Batch batch(*task, 2, Stream::Evaluation, 0, 4);
  const std::vector<std::vector<double>> exact = Oracle("small").distributions(batch);
  const Said flat(batch, std::vector<std::vector<double>>(exact.size(), std::vector<double>(4, 1. / 7)));
  double kl = 0;
  for (const std::vector<double> &row : exact)
    for (double p : row)
      kl += p * (std::log((p + 1e-5) / (1 + 7e-5)) - std::log(1. / 7));
  EXPECT_NEAR(task->score(2, 0, batch.view(), flat.view())[0].result(), kl / double(exact.size()), 1e-12);
}

// The published formula, written out once more, for a model that gives all tokens the same chances.
TEST(LanoScore, theUniformModelsFloor) {
  auto task = makeTask("lano", {{"grammar", "small"}, {"length", "64"}});
  Batch batch(*task, 2, Stream::Evaluation, 0, 30);
  const std::vector<std::vector<double>> exact = Oracle("small").distributions(batch);
  const Said said(batch, std::vector<std::vector<double>>(exact.size(), std::vector<double>(4, 0.25)));
  const std::vector<Score> scores = task->score(2, 0, batch.view(), said.view());
  double kl = 0;
  for (const std::vector<double> &row : exact)
    for (double p : row)
      kl += p * (std::log((p + 1e-5) / (1 + 4e-5)) - std::log(0.25));
  EXPECT_NEAR(scores[0].result(), kl / double(exact.size()), 1e-12);
  EXPECT_NEAR(scoreOf(scores, "excess_nll").result() + scoreOf(scores, "ideal_nll").result(), std::log(4), 1e-12);
}

// Without distributions there is no divergence, but everything else.
TEST(LanoScore, predictionsAloneAreScored) {
  auto task = makeTask("lano", {});
  Batch batch(*task, 2, Stream::Evaluation, 0, 4);
  std::vector<int32_t> predicted = batch.targets;
  predicted[700] = (predicted[700] + 1) % 4;
  const std::vector<Score> scores = task->score(2, 0, batch.view(), {predicted, {}});
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[1].name, "token_accuracy");
  EXPECT_EQ(scores[1].right(), 4 * 512 - 1);
  EXPECT_EQ(scores[1].count, 4 * 512);
  // Of 269 bits of a derivation in 250 tokens, what the tokens tell.
  EXPECT_GT(scoreOf(scores, "ideal_nll").result(), 0.5);
  EXPECT_LT(scoreOf(scores, "ideal_nll").result(), 269 * std::log(2) / 250);
}

TEST(LanoScore, rowsThatAreNoSentencesAreRefused) {
  auto task = makeTask("lano", {{"grammar", "small"}, {"length", "64"}});
  Batch batch(*task, 2, Stream::Evaluation, 0, 1);
  std::fill_n(batch.tokens.begin() + 1, 8, 1);
  EXPECT_THROW(task->score(2, 0, batch.view(), {batch.targets, {}}), std::invalid_argument);
}

TEST(LanoScore, prompts) {
  auto task = makeTask("lano", {});
  EXPECT_TRUE(task->judgedByWriting());
  EXPECT_EQ(task->temperature(), 1);
  const std::vector<Prompt> prompts = task->prompts(3, 7, 5);
  ASSERT_EQ(prompts.size(), 5u);
  EXPECT_EQ(prompts[4].tokens, std::vector<int32_t>{0});
  EXPECT_EQ(prompts[4].end, 0);
  EXPECT_EQ(prompts[4].most, 512) << "all that a row holds";
  EXPECT_EQ(makeTask("lano", {{"grammar", "small"}})->prompts(0, 0, 1)[0].most, 28)
      << "the longest sentence and its end";
}

// Sentences that were drawn, each with its end, are all right.
TEST(LanoScore, aPerfectWriterIsRight) {
  for (const char *name : {"cfg3f", "cfg3k"}) {
    const Grammar grammar = findGrammar(name);
    auto task = makeTask("lano", {{"grammar", name}, {"length", "1536"}});
    Random random(6, 6, 6);
    std::vector<std::vector<int32_t>> answers(20);
    for (std::vector<int32_t> &answer : answers) {
      grammar.derive(grammar.root(), random, 1, answer);
      answer.push_back(0);
    }
    const std::vector<Score> scores = task->judge(1, 0, 20, answers);
    EXPECT_EQ(scores[0].name, "generated/accuracy") << "the headline";
    EXPECT_EQ(scores[0].right(), 20);
    EXPECT_EQ(scores[0].count, 20);
    for (size_t i = 1; i < scores.size(); ++i)
      EXPECT_EQ(scores[i].right(), 0);
  }
}

// One answer a reason; "1 2 1 1 3 1 2 3 1 2" is the sentence C(D D) A(D E) of `small` as far as it goes.
TEST(LanoScore, wrongAnswersAreRefusedForTheirReason) {
  auto task = makeTask("lano", {{"grammar", "small"}, {"length", "64"}});
  auto reason = [&](const std::vector<int32_t> &answer) {
    const std::vector<std::vector<int32_t>> answers = {answer};
    std::string reasons;
    for (const Score &score : task->judge(1, 0, 1, answers)) {
      EXPECT_EQ(score.count, 1);
      if (score.right())
        reasons += (reasons.empty() ? "" : " ") + score.name.substr(score.name.find('/') + 1);
    }
    return reasons;
  };
  const std::vector<int32_t> sentence = {1, 2, 3, 1, 2, 1, 2, 2, 3};
  auto with = [&](std::vector<int32_t> more) {
    std::vector<int32_t> all = sentence;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  EXPECT_EQ(reason(with({0})), "accuracy");
  EXPECT_EQ(reason(with({})), "no_end");
  EXPECT_EQ(reason({}), "no_end");
  EXPECT_EQ(reason({0}), "early_end");
  EXPECT_EQ(reason({1, 2, 3, 1, 2, 1, 2, 0}), "early_end") << "the last symbol left out";
  EXPECT_EQ(reason({1, 2, 3, 1, 2, 1, 2, 2, 2, 0}), "wrong_token") << "one token replaced";
  EXPECT_EQ(reason({1, 2, 3, 1, 2, 1, 2, 2, 2}), "wrong_token") << "and no end";
  EXPECT_EQ(reason({1, 2, 3, 9, 0}), "wrong_token") << "a token beyond the vocabulary";
  EXPECT_EQ(reason({1, -3, 0}), "wrong_token");
  EXPECT_EQ(reason(std::vector<int32_t>(1000, 1)), "wrong_token");
  EXPECT_EQ(reason(with({0, 1, 2})), "accuracy") << "what follows the end does not count";
}

// A writer that takes each token by chance: right where it hits a sentence and its end.
TEST(LanoScore, theUniformWritersFloor) {
  const std::string path = testing::TempDir() + "stretto-lano-floor.grammar";
  {
    std::ofstream(path) << "terminals x y\nS -> A B | B\nA -> x | y x\nB -> y | x y | A A\n";
  }
  auto task = makeTask("lano", {{"grammar", path}, {"length", "16"}});
  double floor = 0;
  for (const auto &[string, p] : languageOf(findGrammar(path)))
    floor += std::pow(3, -double(string.size() + 1));
  const int64_t writers = 40000, most = task->prompts(0, 0, 1)[0].most;
  Random random(2, 2, 2);
  std::vector<std::vector<int32_t>> answers(writers);
  for (std::vector<int32_t> &answer : answers)
    while (int64_t(answer.size()) < most && (answer.empty() || answer.back() != 0))
      answer.push_back(int32_t(random.below(3)));
  const Score right = task->judge(0, 0, writers, answers)[0];
  // Four standard errors: wrong in one of 16,000 fair cases.
  EXPECT_NEAR(right.result(), floor, 4 * std::sqrt(floor * (1 - floor) / writers));
  EXPECT_GT(floor, 0.1);
  std::filesystem::remove(path);
}

// What the documentation says of the small grammar.
TEST(LanoScore, theFloorOfTheSmallGrammar) {
  double floor = 0;
  const Language language = languageOf(findGrammar("small"));
  for (const auto &[string, p] : language)
    floor += std::pow(4, -double(string.size() + 1));
  EXPECT_EQ(language.size(), 7872u);
  EXPECT_NEAR(floor, 4.478e-5, 1e-8);
}
