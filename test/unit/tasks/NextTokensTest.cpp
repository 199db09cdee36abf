// Exact next-token distributions of grammars against exact fractions.
#include "LanoLanguage.h"
#include "tasks/lano/next_tokens.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;
using namespace stretto::test;

// Every row of every sentence against exact fractions from the whole language.
TEST(NextTokens, agreesWithExactFractions) {
  size_t rows = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Grammar grammar = randomGrammar(seed);
    const Language language = languageOf(grammar);
    Language openings; // how likely a sentence opens so
    for (const auto &[string, p] : language)
      for (size_t n = 0; n <= string.size(); ++n) {
        Rational &mass = openings[{string.begin(), string.begin() + int64_t(n)}];
        mass = mass + p;
      }
    EXPECT_EQ(openings.at({}), Rational(1));
    NextTokens next(grammar);
    const size_t width = size_t(grammar.terminals) + 1;
    for (const auto &[string, p] : language) {
      const std::vector<double> all = next.rows(string);
      ASSERT_EQ(all.size(), (string.size() + 1) * width) << "seed " << seed;
      for (size_t k = 0; k <= string.size(); ++k, ++rows) {
        std::vector<int32_t> opening(string.begin(), string.begin() + int64_t(k));
        const Rational mass = openings.at(opening);
        Rational ends = language.contains(opening) ? language.at(opening) : Rational(0);
        ASSERT_NEAR(all[k * width], double(ends / mass), 1e-13) << "seed " << seed << ", the end after " << k;
        opening.push_back(0);
        for (int32_t t = 0; t < grammar.terminals; ++t) {
          opening.back() = t;
          const Rational further = openings.contains(opening) ? openings.at(opening) : Rational(0);
          ASSERT_NEAR(all[k * width + 1 + size_t(t)], double(further / mass), 1e-13)
              << "seed " << seed << ", place " << k;
        }
      }
    }
  }
  EXPECT_GT(rows, 25000u);
}

// The probability of a sentence by plain recursion in numbers with a wide exponent, without any scaling.
namespace {
class Inside {
public:
  Inside(const Grammar &grammar, const std::vector<int32_t> &tokens) : grammar(grammar), tokens(tokens) {}

  long double sentence() { return ends(grammar.root(), 0)[tokens.size()]; }

private:
  using Ends = std::map<size_t, long double>; // where a symbol ends, with the probability of those tokens

  Ends &ends(int32_t symbol, size_t from) {
    auto [entry, isNew] = table.try_emplace({symbol, from});
    if (isNew && symbol < grammar.terminals) {
      if (from < tokens.size() && tokens[from] == symbol)
        entry->second[from + 1] = 1;
    } else if (isNew) {
      for (const Grammar::Rule &rule : grammar.rules[symbol]) {
        Ends reached = {{from, 1.0L / (long double)(grammar.rules[symbol].size())}};
        for (int32_t child : rule) {
          Ends further;
          for (const auto &[at, p] : reached)
            for (const auto &[end, q] : ends(child, at))
              further[end] += p * q;
          reached = std::move(further);
        }
        for (const auto &[end, p] : reached)
          entry->second[end] += p;
      }
    }
    return entry->second;
  }

  const Grammar &grammar;
  const std::vector<int32_t> &tokens;
  std::map<std::pair<int32_t, size_t>, Ends> table;
};
} // namespace

// The product of the conditional probabilities is the probability of the sentence, on sentences too unlikely for plain
// doubles.
TEST(NextTokens, longSentences) {
  for (const char *name : {"cfg3b", "cfg3f", "cfg3j", "cfg3k"}) {
    const Grammar grammar = findGrammar(name);
    NextTokens next(grammar);
    Random random(7, 8, 9);
    for (int i = 0; i < 3; ++i) {
      std::vector<int32_t> tokens;
      grammar.derive(grammar.root(), random, 0, tokens);
      const std::vector<double> rows = next.rows(tokens);
      ASSERT_EQ(rows.size(), 4 * (tokens.size() + 1));
      double sum = 0;
      for (size_t k = 0; k <= tokens.size(); ++k) {
        EXPECT_NEAR(rows[4 * k] + rows[4 * k + 1] + rows[4 * k + 2] + rows[4 * k + 3], 1, 1e-12);
        sum += std::log(rows[4 * k + (k < tokens.size() ? size_t(tokens[k]) + 1 : 0)]);
      }
      const double exact = double(std::log(Inside(grammar, tokens).sentence()));
      EXPECT_NEAR(sum, exact, 1e-10 * std::abs(exact)) << name;
    }
  }
}

// 4096 tokens, each one of 16: a probability of 2^-16384.
TEST(NextTokens, scalesFarBeyondDoubles) {
  std::string text = "terminals", leaf = "N0 ->";
  for (int t = 0; t < 16; ++t) {
    text.append(" t").append(std::to_string(t));
    leaf.append(t ? " | t" : " t").append(std::to_string(t));
  }
  for (int level = 12; level > 0; --level) {
    const std::string below = " N" + std::to_string(level - 1);
    text.append("\nN").append(std::to_string(level)).append(" ->").append(below).append(below);
  }
  const Grammar grammar = readGrammar(text + "\n" + leaf + "\n", "g");
  NextTokens next(grammar);
  std::vector<int32_t> tokens(4096);
  for (size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = int32_t(i * i % 16);
  const std::vector<double> rows = next.rows(tokens);
  ASSERT_EQ(rows.size(), 4097u * 17);
  for (size_t k = 0; k < 4096; ++k) {
    ASSERT_EQ(rows[k * 17], 0);
    for (size_t t = 1; t < 17; ++t)
      ASSERT_NEAR(rows[k * 17 + t], 1. / 16, 1e-12);
  }
  EXPECT_NEAR(rows[4096 * 17], 1, 1e-12);
}

// Sentences of two kinds: "a" 1024 times, or 1024 tokens of "a" and "b" by chance. After k times "a", "b" is left to
// the second kind alone.
TEST(NextTokens, unlikelyKindsFadeAway) {
  std::string text = "terminals a b\nS -> A10 | X10\n";
  for (const std::string kind : {"A", "X"})
    for (int level = 10; level > 0; --level) {
      const std::string below = " " + kind + std::to_string(level - 1);
      text.append(kind).append(std::to_string(level)).append(" ->").append(below).append(below).append("\n");
    }
  const Grammar grammar = readGrammar(text + "A0 -> a\nX0 -> a | b\n", "g");
  NextTokens next(grammar);
  const std::vector<double> rows = next.rows(std::vector<int32_t>(1024, 0));
  ASSERT_EQ(rows.size(), 3u * 1025);
  for (size_t k = 0; k < 1024; ++k) {
    const double other = std::exp2(-double(k));
    ASSERT_NEAR(rows[3 * k + 2], k < 660 ? other / 2 / (1 + other) : 0, k < 660 ? 1e-12 * other : 1e-198) << k;
  }
}

TEST(NextTokens, rowsEndWhereNoSentenceGoesOn) {
  const Grammar grammar = readGrammar("terminals x y\nS -> x y | x x x\n", "g");
  NextTokens next(grammar);
  using Rows = std::vector<double>;
  EXPECT_EQ(next.rows(std::vector<int32_t>{}), (Rows{0, 1, 0}));
  EXPECT_EQ(next.rows(std::vector<int32_t>{1, 0}), (Rows{0, 1, 0}));
  EXPECT_EQ(next.rows(std::vector<int32_t>{0, 5}), (Rows{0, 1, 0, 0, .5, .5}));
  EXPECT_EQ(next.rows(std::vector<int32_t>{0, 1, 1, 0, 0}), (Rows{0, 1, 0, 0, .5, .5, 1, 0, 0}));
}
