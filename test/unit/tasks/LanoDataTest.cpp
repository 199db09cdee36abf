// Lano's sentences and grammars.
#include "LanoLanguage.h"
#include "Support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

using namespace stretto;
using namespace stretto::tasks;
using namespace stretto::runtime;
using namespace stretto::test;

// Expects counts drawn with the given probabilities; wrong in fewer than one of 1000 fair cases.
static void expectFair(const std::vector<double> &counts, const std::vector<double> &probabilities) {
  double total = 0;
  std::vector<double> expected;
  for (double count : counts)
    total += count;
  for (double p : probabilities)
    expected.push_back(p * total);
  const double freedom = double(counts.size()) - 1;
  EXPECT_LT(chiSquare(counts, expected), freedom + 4.4 * std::sqrt(freedom) + 6);
}

// The whole sentences of rows; of each row the one that is cut as well where `cut`.
static std::vector<std::vector<int32_t>> sentences(const Batch &batch, bool cut = false) {
  std::vector<std::vector<int32_t>> all;
  for (int64_t r = 0; r < batch.batch; ++r) {
    const std::vector<int32_t> row = batch.row(r);
    for (auto from = row.begin(); from != row.end();) {
      EXPECT_EQ(*from, 0);
      auto to = std::find(++from, row.end(), 0);
      if (to != row.end() || cut)
        all.emplace_back(from, to);
      from = to;
    }
  }
  return all;
}

// A grammar in a file of its own, for as long as the object lives.
struct OwnGrammar {
  explicit OwnGrammar(const std::string &text) : path(testing::TempDir() + "stretto-lano-data.grammar") {
    std::ofstream(path) << text;
  }
  ~OwnGrammar() { std::filesystem::remove(path); }
  std::string path;
};

// A derivation is written in one line of at most 100 characters, or its parts below it and further to the right.
TEST(LanoData, derivationsAreWrittenAsTrees) {
  const std::string t(21, 't'), part = "AA(" + t + " " + t + ")", tokens = t + " " + t + " " + t + " " + t;
  auto text = [&](const std::string &root) {
    OwnGrammar file("terminals " + t + "\n" + root + " -> AA AA\nAA -> " + t + " " + t + "\n");
    auto task = makeTask("lano", {{"grammar", file.path}, {"length", "5"}});
    Batch batch(*task, 1, Stream::Train, 0, 1);
    return task->describe(batch.view(), 0);
  };
  EXPECT_EQ(text("S"), "4 tokens: " + tokens + "\n  S(" + part + " " + part + ")\n" +
                           "0 tokens, cut by the end of the sequence:\n");
  EXPECT_EQ(text("SS"), "4 tokens: " + tokens + "\n  SS\n    " + part + "\n    " + part + "\n" +
                            "0 tokens, cut by the end of the sequence:\n");
}

// Sentences of a small grammar with their exact probabilities.
TEST(LanoData, sentencesHaveTheirProbabilities) {
  OwnGrammar file("terminals x y\nS -> A B | B A | A\nA -> x | B y | x y\nB -> y | y x | x\n");
  auto task = makeTask("lano", {{"grammar", file.path}, {"length", "9"}});
  const Language language = languageOf(findGrammar(file.path));
  // The first sentence of a row is always whole.
  std::map<std::vector<int32_t>, double> counts;
  Batch batch(*task, 1, Stream::Train, 0, 60000);
  for (int64_t r = 0; r < batch.batch; ++r) {
    const std::vector<int32_t> row = batch.row(r);
    auto end = std::find(row.begin() + 1, row.end(), 0);
    ASSERT_NE(end, row.end());
    std::vector<int32_t> sentence(row.begin() + 1, end);
    for (int32_t &token : sentence)
      --token;
    ASSERT_TRUE(language.contains(sentence));
    ++counts[sentence];
  }
  std::vector<double> observed, expected;
  for (const auto &[sentence, p] : language) {
    observed.push_back(counts[sentence]);
    expected.push_back(double(p));
  }
  EXPECT_GT(observed.size(), 15u);
  expectFair(observed, expected);
}

// Each rule carries a terminal of its own, so that terminals count rules.
TEST(LanoData, rulesAreChosenUniformly) {
  OwnGrammar file("terminals a b c d e f g h i j\nS -> a A B | b B A A | c A\nA -> d | e B B | f B f2 | g\n"
                  "f2 -> B B\nB -> h | i h2 | j\nh2 -> h3\nh3 -> i2\ni2 -> B2\nB2 -> a2\na2 -> c\n");
  EXPECT_EQ(findGrammar(file.path).terminals, 10);
  auto task = makeTask("lano", {{"grammar", file.path}, {"length", "64"}});
  std::vector<double> counts(11);
  for (const std::vector<int32_t> &sentence : sentences(Batch(*task, 3, Stream::Train, 0, 4000), true))
    for (int32_t token : sentence)
      ++counts.at(token);
  counts[3] -= counts[9]; // each i brings a c
  expectFair({counts[4], counts[5], counts[6], counts[7]}, {.25, .25, .25, .25});
  expectFair({counts[8], counts[9], counts[10]}, {1 / 3., 1 / 3., 1 / 3.});
}

// Sentence lengths of the paper's grammars in 16 bins of about equal probability.
TEST(LanoData, lengthsHaveTheirExactDistribution) {
  for (const char *name : {"cfg3f", "cfg3j", "cfg3k", "small"}) {
    const std::vector<double> lengths = findGrammar(name).lengthDistribution();
    auto task = makeTask("lano", {{"grammar", name}, {"length", std::to_string(lengths.size())}});
    std::vector<size_t> binOf(lengths.size());
    std::vector<double> expected(1), observed;
    for (size_t n = 0; n < lengths.size(); ++n) {
      if (expected.back() >= 1. / 16)
        expected.push_back(0);
      binOf[n] = expected.size() - 1;
      expected.back() += lengths[n];
    }
    observed.resize(expected.size());
    Batch batch(*task, 8, Stream::Evaluation, 0, 6000);
    for (int64_t r = 0; r < batch.batch; ++r) {
      const std::vector<int32_t> row = batch.row(r);
      ++observed[binOf.at(size_t(std::find(row.begin() + 1, row.end(), 0) - row.begin() - 1))];
    }
    expectFair(observed, expected);
  }
}

// Every token but the first is a target, and every <begin> ends a sentence.
TEST(LanoData, everyTokenCounts) {
  auto task = makeTask("lano", {});
  EXPECT_EQ(task->vocabulary(), 4);
  Batch batch(*task, 5, Stream::Train, 0, 50);
  EXPECT_EQ(std::ranges::count(batch.mask, 1), 50 * 512);
  const std::vector<std::vector<int32_t>> whole = sentences(batch);
  EXPECT_GE(whole.size(), 50u);
  for (const std::vector<int32_t> &sentence : whole) {
    EXPECT_GE(sentence.size(), 64u);
    EXPECT_LE(sentence.size(), 511u);
  }
  EXPECT_EQ(publishedIds(*task), (std::vector<int32_t>{4, 1, 2, 3}));
  EXPECT_TRUE(publishedIds(*makeTask("lano", {{"grammar", "small"}})).empty());
}

// What does not fit with its end is drawn again.
TEST(LanoData, sentencesFitIntoRows) {
  auto task = makeTask("lano", {{"grammar", "cfg3f"}, {"length", "496"}});
  for (const std::vector<int32_t> &sentence : sentences(Batch(*task, 5, Stream::Train, 0, 3000), true))
    ASSERT_LE(sentence.size(), 495u);
  // The one row of the first 100,000 that begins with a longer one.
  auto longer = makeTask("lano", {{"grammar", "cfg3f"}, {"length", "730"}});
  EXPECT_EQ(sentences(Batch(*longer, 5, Stream::Train, 25887, 1), true)[0].size(), 496u);
  EXPECT_LE(sentences(Batch(*task, 5, Stream::Train, 25887, 1), true)[0].size(), 495u);
  auto error = [](const char *length) {
    return errorOf([&] { makeTask("lano", {{"grammar", "cfg3f"}, {"length", length}}); });
  };
  const std::string start =
      "task 'lano': parameter 'length' must be at least 496 for all but one in 100,000 sentences of 'cfg3f' "
      "to fit (730 for the longest possible one, of 729 tokens), but got ";
  EXPECT_EQ(error("495"), start + "495");
  EXPECT_EQ(error("1"), start + "1");
  EXPECT_EQ(error("730"), "");
  OwnGrammar file("terminals x\nS -> x x x\n");
  EXPECT_EQ(errorOf([&] { makeTask("lano", {{"grammar", file.path}, {"length", "4"}}); }), "");
  EXPECT_EQ(errorOf([&] { makeTask("lano", {{"grammar", file.path}, {"length", "3"}}); }),
            "task 'lano': parameter 'length' must be at least 4 for all but one in 100,000 sentences of '" + file.path +
                "' to fit (4 for the longest possible one, of 3 tokens), but got 3");
}

// The exact share of sentences that rows of 495 cut away is just above one in 100,000.
TEST(LanoData, theLimitIsTheExactOne) {
  const std::vector<double> lengths = findGrammar("cfg3f").lengthDistribution();
  double beyond = 0;
  for (size_t n = 496; n < lengths.size(); ++n)
    beyond += lengths[n];
  EXPECT_LE(beyond, 1e-5);
  EXPECT_GT(beyond + lengths[495], 1e-5);
}
