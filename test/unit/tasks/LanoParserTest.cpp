// Lano's membership test against all strings of small languages.
#include "LanoLanguage.h"
#include "tasks/lano/parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;
using namespace stretto::test;

// Whether a tree is a derivation of its tokens.
static void checkTree(const Grammar &grammar, const Parser::Tree &tree, const std::vector<int32_t> &tokens) {
  if (tree.symbol < grammar.terminals) {
    ASSERT_TRUE(tree.children.empty());
    ASSERT_EQ(tree.end, tree.begin + 1);
    ASSERT_EQ(tokens.at(tree.begin), tree.symbol);
    return;
  }
  Grammar::Rule rule;
  size_t at = tree.begin;
  for (const Parser::Tree &child : tree.children) {
    ASSERT_EQ(child.begin, at);
    at = child.end;
    rule.push_back(child.symbol);
    checkTree(grammar, child, tokens);
  }
  ASSERT_EQ(at, tree.end);
  ASSERT_EQ(std::ranges::count(grammar.rules[tree.symbol], rule), 1);
}

static void checkParse(const Grammar &grammar, Parser &parser, const std::vector<int32_t> &tokens) {
  const Parser::Tree tree = parser.parse(tokens);
  ASSERT_EQ(tree.symbol, grammar.root());
  ASSERT_EQ(tree.begin, 0u);
  ASSERT_EQ(tree.end, tokens.size());
  checkTree(grammar, tree, tokens);
}

static std::set<std::vector<int32_t>> openingsOf(const Language &language) {
  std::set<std::vector<int32_t>> openings;
  for (const auto &[string, p] : language)
    for (size_t n = 0; n <= string.size(); ++n)
      openings.emplace(string.begin(), string.begin() + int64_t(n));
  return openings;
}

static size_t viableTokens(const std::set<std::vector<int32_t>> &openings, std::vector<int32_t> string) {
  while (!openings.contains(string))
    string.pop_back();
  return string.size();
}

// All strings up to one token more than the longest sentence where there are not too many, else all sentences and
// strings near them.
static std::vector<std::vector<int32_t>> stringsFor(const Grammar &grammar, const Language &language) {
  std::vector<std::vector<int32_t>> strings = {{}};
  const size_t longest = size_t(grammar.longest.back());
  if (std::pow(grammar.terminals, double(longest + 1)) < 5000) {
    for (size_t from = 0; from < strings.size(); ++from)
      if (strings[from].size() <= longest)
        for (int32_t t = 0; t < grammar.terminals; ++t) {
          strings.push_back(strings[from]);
          strings.back().push_back(t);
        }
    return strings;
  }
  Random random(4, 5, 6);
  for (const auto &[string, p] : language) {
    strings.push_back(string);
    for (int i = 0; i < 3; ++i) {
      std::vector<int32_t> other = string;
      const size_t at = random.below(other.size());
      if (i == 0)
        other[at] = int32_t(random.below(uint64_t(grammar.terminals)));
      else if (i == 1)
        other.erase(other.begin() + int64_t(at));
      else
        other.insert(other.begin() + int64_t(at), int32_t(random.below(uint64_t(grammar.terminals))));
      strings.push_back(other);
    }
  }
  return strings;
}

TEST(LanoParser, agreesWithBruteForce) {
  size_t sentences = 0, others = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Grammar grammar = randomGrammar(seed);
    const Language language = languageOf(grammar);
    const std::set<std::vector<int32_t>> openings = openingsOf(language);
    Parser parser(grammar);
    for (const std::vector<int32_t> &string : stringsFor(grammar, language)) {
      const Parser::Verdict verdict = parser.check(string);
      ASSERT_EQ(verdict.sentence, language.contains(string)) << "seed " << seed;
      ASSERT_EQ(verdict.viable, viableTokens(openings, string)) << "seed " << seed;
      (verdict.sentence ? sentences : others) += 1;
      if (verdict.sentence)
        checkParse(grammar, parser, string);
      if (HasFatalFailure())
        FAIL() << "seed " << seed;
    }
  }
  EXPECT_GT(sentences, 5000u);
  EXPECT_GT(others, 10000u);
}

// Plain recursion with a table: where a symbol that starts at a position may end.
namespace {
class Recogniser {
public:
  Recogniser(const Grammar &grammar, const std::vector<int32_t> &tokens) : grammar(grammar), tokens(tokens) {}
  bool accepts() { return ends(grammar.root(), 0).contains(tokens.size()); }

private:
  const std::set<size_t> &ends(int32_t symbol, size_t from) {
    auto [entry, isNew] = table.try_emplace({symbol, from});
    if (isNew && symbol < grammar.terminals) {
      if (from < tokens.size() && tokens[from] == symbol)
        entry->second.insert(from + 1);
    } else if (isNew) {
      for (const Grammar::Rule &rule : grammar.rules[symbol]) {
        std::set<size_t> reached = {from};
        for (int32_t child : rule) {
          std::set<size_t> further;
          for (size_t at : reached)
            further.merge(std::set(ends(child, at)));
          reached = std::move(further);
        }
        entry->second.merge(reached);
      }
    }
    return entry->second;
  }

  const Grammar &grammar;
  const std::vector<int32_t> &tokens;
  std::map<std::pair<int32_t, size_t>, std::set<size_t>> table;
};
} // namespace

// Sentences of the paper's grammars, and the same with a token replaced, left out or put in, or two of them exchanged.
TEST(LanoParser, agreesWithPlainRecursionOnLongSentences) {
  size_t right = 0, wrong = 0;
  for (const char *name : {"cfg3b", "cfg3f", "cfg3g", "cfg3h", "cfg3i", "cfg3j", "cfg3k"}) {
    const Grammar grammar = findGrammar(name);
    Parser parser(grammar);
    Random random(1, 2, 3);
    for (int i = 0; i < 10; ++i) {
      std::vector<int32_t> tokens;
      grammar.derive(grammar.root(), random, 0, tokens);
      const size_t at = random.below(tokens.size());
      const int32_t token = int32_t(random.below(3));
      if (i % 5 == 1)
        tokens[at] = token;
      else if (i % 5 == 2)
        tokens.erase(tokens.begin() + int64_t(at));
      else if (i % 5 == 3)
        tokens.insert(tokens.begin() + int64_t(at), token);
      else if (i % 5 == 4)
        std::swap(tokens[at], tokens[random.below(tokens.size())]);
      const Parser::Verdict verdict = parser.check(tokens);
      ASSERT_EQ(verdict.sentence, Recogniser(grammar, tokens).accepts()) << name << " " << i;
      ASSERT_TRUE(i % 5 != 0 || verdict.sentence) << "what is drawn is a sentence";
      (verdict.sentence ? right : wrong) += 1;
      if (verdict.sentence) {
        ASSERT_EQ(verdict.viable, tokens.size());
        checkParse(grammar, parser, tokens);
      }
    }
  }
  EXPECT_GE(right, 14u);
  EXPECT_GT(wrong, 20u);
}

TEST(LanoParser, oddStrings) {
  const Grammar grammar = readGrammar("terminals x y\nS -> x y | x x x\n", "g");
  Parser parser(grammar);
  auto check = [&](std::vector<int32_t> tokens) {
    const Parser::Verdict verdict = parser.check(tokens);
    return std::pair(verdict.sentence, verdict.viable);
  };
  EXPECT_EQ(check({}), std::pair(false, size_t{0}));
  EXPECT_EQ(check({0, 1}), std::pair(true, size_t{2}));
  EXPECT_EQ(check({0, 0}), std::pair(false, size_t{2}));
  EXPECT_EQ(check({0, 1, 0}), std::pair(false, size_t{2}));
  EXPECT_EQ(check({0, 2}), std::pair(false, size_t{1})) << "no terminal, though the number of a symbol";
  EXPECT_EQ(check({-1}), std::pair(false, size_t{0}));
  EXPECT_EQ(check(std::vector<int32_t>(100000, 0)), std::pair(false, size_t{3}));
  EXPECT_THROW(parser.parse(std::vector<int32_t>{0}), std::invalid_argument);
}
