// Grammars: syntax, rules, numbering of symbols.
#include "tasks/lano/grammar.h"
#include "LanoLanguage.h"
#include "Support.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;
using namespace stretto::test;

static std::string readError(const std::string &text) {
  return errorOf([&] { readGrammar(text, "g"); });
}

static std::string node(int index) { return std::string("N").append(std::to_string(index)); }

TEST(Grammar, symbolsAreNumberedChildrenFirst) {
  const Grammar grammar = readGrammar("# a comment\nterminals x y # here too\n\nS -> A y | B\n  | A A\r\n"
                                      "B->A|y x\n\tA -> x\n",
                                      "g");
  EXPECT_EQ(grammar.names, (std::vector<std::string>{"x", "y", "A", "B", "S"}));
  EXPECT_EQ(grammar.terminals, 2);
  EXPECT_EQ(grammar.root(), 4);
  using Rules = std::vector<Grammar::Rule>;
  EXPECT_EQ(grammar.rules, (std::vector<Rules>{{}, {}, {{0}}, {{2}, {1, 0}}, {{2, 1}, {3}, {2, 2}}}));
  EXPECT_EQ(grammar.shortest, (std::vector<int64_t>{1, 1, 1, 1, 1}));
  EXPECT_EQ(grammar.longest, (std::vector<int64_t>{1, 1, 1, 2, 2}));
}

TEST(Grammar, syntaxErrors) {
  EXPECT_EQ(readError(""), "g:1: a grammar must open with 'terminals' and their names, but got none");
  EXPECT_EQ(readError("\nS -> a\n"), "g:2: a grammar must open with 'terminals' and their names, but got 'S'");
  EXPECT_EQ(readError("terminals\n"), "g:1: 'terminals' must be followed by at least one name");
  EXPECT_EQ(readError("terminals a\n"), "g:1: a grammar must have a symbol with rules, but got none");
  EXPECT_EQ(readError("terminals a b a"), "g:1: terminals must differ, but got 'a' twice");
  EXPECT_EQ(readError("terminals a\tb <begin>"),
            "g:1: a terminal must not have the name of the token that opens a sentence, but got '<begin>'");
  EXPECT_EQ(readError("terminals a | b"), "g:1: a terminal must have a name, but got '|'");
  EXPECT_EQ(readError("terminals a\nterminals b"),
            "g:2: terminals must be named once, but got them again after line 1");
  EXPECT_EQ(readError("terminals a\nS a b"),
            "g:2: a line must look like 'SYMBOL -> CHILDREN | CHILDREN', but got 'S a b'");
  EXPECT_EQ(readError("terminals a\n-> a"),
            "g:2: a line must look like 'SYMBOL -> CHILDREN | CHILDREN', but got '-> a'");
  EXPECT_EQ(readError("terminals a\n| a"), "g:2: a line must look like 'SYMBOL -> CHILDREN | CHILDREN', but got '| a'");
  EXPECT_EQ(readError("terminals a\nS -> a -> a"), "g:2: a line must define one symbol, but got a second '->'");
  EXPECT_EQ(readError("terminals a\nS -> \xc3\xa4"),
            "g:2: names must be printable ASCII characters, but got the byte 195");
  EXPECT_EQ(readError("terminals a\npublished 1\nS -> a"),
            "g:2: 'published' must give 2 numbers, of the end and of each terminal, but got 1");
  EXPECT_EQ(readError("terminals a\npublished 1 1\nS -> a"), "g:2: published numbers must differ, but got 1 twice");
  EXPECT_EQ(readError("terminals a\npublished 1 -2\nS -> a"),
            "g:2: a published number must be an integer in 0..2147483647, but got '-2'");
  EXPECT_EQ(readError("terminals a\npublished 1 2\npublished 1 2\nS -> a"), "g:3: 'published' must occur once");
}

TEST(Grammar, rulesAreChecked) {
  EXPECT_EQ(readError("terminals a\nS -> a |"), "g:2: a rule must have 1..16 children, but got 0 in rule 2 of 'S'");
  EXPECT_EQ(readError("terminals a\nS ->"), "g:2: a rule must have 1..16 children, but got 0 in rule 1 of 'S'");
  EXPECT_EQ(readError("terminals a\nS -> a a a a a a a a a a a a a a a a a"),
            "g:2: a rule must have 1..16 children, but got 17 in rule 1 of 'S'");
  EXPECT_EQ(readError("terminals a\nS -> a a | a\n | a a"),
            "g:3: the rules of a symbol must differ, but got 'a a' twice for 'S', first in line 2");
  EXPECT_EQ(readError("terminals a\nS -> A\nA -> a\nS -> a"),
            "g:4: the rules of a symbol must stand together, but got rules of 'S' again after line 2");
  EXPECT_EQ(readError("terminals a\nS -> Node a\nNod -> a"),
            "g:2: every symbol must have rules or be a terminal, but got 'Node'; did you mean 'Nod'?");
  EXPECT_EQ(readError("terminals a\nS -> xyzzy"),
            "g:2: every symbol must have rules or be a terminal, but got 'xyzzy'");
  EXPECT_EQ(readError("terminals a b\nS -> a\nb -> a"), "g:3: a terminal must have no rules, but got some for 'b'");
}

TEST(Grammar, useIsChecked) {
  EXPECT_EQ(readError("terminals a\nS -> a\nT -> a U\nU -> a"),
            "g:3: every symbol must be reached from the root 'S', the first one of the file, but got 'T'");
  EXPECT_EQ(readError("terminals a b\nS -> a"), "g:1: every terminal must occur in a rule, but got 'b'");
  const std::string cycle =
      "rules must not lead from a symbol back to it, as sentences would have no longest one, but got ";
  EXPECT_EQ(readError("terminals a\nS -> a | a S"), "g:2: " + cycle + "S -> S");
  EXPECT_EQ(readError("terminals a\nS -> A\nA -> a B\nB -> a |\\\n a | A a").substr(0, 4), "g:5:");
  EXPECT_EQ(readError("terminals a\nS -> A\nA -> a B\nB -> a\n | A a"), "g:5: " + cycle + "A -> B -> A");
  std::string ring = "terminals a\nS -> N0\n";
  for (int i = 0; i < 20; ++i)
    ring.append(node(i)).append(" -> a ").append(node((i + 1) % 20)).append("\n");
  EXPECT_EQ(readError(ring), "g:22: " + cycle + "N0 -> N1 -> N2 -> ... -> N18 -> N19 -> N0");
}

TEST(Grammar, sizesAreLimited) {
  std::string many = "terminals", rules = "terminals a b\nS -> a", doubled = "terminals a\n";
  for (int i = 0; i < 1100; ++i)
    many.append(" ").append(node(i));
  EXPECT_EQ(readError(many + "\nS -> N0\n"), "g:1: a grammar must have at most 1024 symbols, but got 1100");
  many.resize(many.find(" N1023"));
  EXPECT_EQ(readError(many + "\nS -> A\nA -> N0\n"), "g:3: a grammar must have at most 1024 symbols, but got 1025");
  EXPECT_EQ(readError(many + " N1023\nS -> N0\n"), "g:2: a grammar must have at most 1024 symbols, but got 1025");
  const std::string name(65, 'x');
  EXPECT_EQ(readError("terminals a\nS -> " + name), "g:2: names must have at most 64 characters, but got 65");
  std::string longLine = "terminals a\n";
  for (int i = 0; i < 100; ++i)
    longLine += "abc ";
  EXPECT_EQ(readError(longLine),
            "g:2: a line must look like 'SYMBOL -> CHILDREN | CHILDREN', but got 'abc abc abc abc abc "
            "abc abc abc abc abc abc abc abc abc abc ...'");
  for (int i = 1; i < 1100; ++i) {
    rules += "\n|";
    for (int bit = 0; bit < 11; ++bit)
      rules += i >> bit & 1 ? " a" : " b";
  }
  EXPECT_EQ(readError(rules), "g:1026: a grammar must have at most 1024 rules, but got more");
  for (int i = 0; i < 100; ++i)
    doubled.append(node(i)).append(" -> ").append(i < 99 ? node(i + 1) + " " + node(i + 1) : "a").append("\n");
  EXPECT_EQ(readError(doubled), "g:88: sentences must have at most 4096 tokens, but got 8192 from 'N86'");
  EXPECT_EQ(readError(std::string(Grammar::mostBytes + 1, '\n')),
            "g:1: a grammar must have at most 1048576 bytes, but got more");
}

TEST(Grammar, filesAreFound) {
  const std::string path = testing::TempDir() + "stretto-own.grammar";
  std::ofstream(path) << "terminals p q\nS -> p q | q\n";
  EXPECT_EQ(findGrammar(path).names.back(), "S");
  EXPECT_EQ(makeTask("lano", {{"grammar", path}, {"length", "8"}})->vocabulary(), 3);
  std::ofstream(path) << "terminals open close\nS -> open closed\n";
  EXPECT_EQ(errorOf([&] { makeTask("lano", {{"grammar", path}}); }),
            path + ":2: every symbol must have rules or be a terminal, but got 'closed'; did you mean 'close'?");
  std::filesystem::remove(path);
  EXPECT_EQ(errorOf([] { findGrammar("cfg3x"); }), "no grammar and no file is called 'cfg3x'; did you mean 'cfg3b'?");
  EXPECT_EQ(errorOf([] { findGrammar("/"); }), "cannot read '/': it must be a regular file");
}

TEST(Grammar, filesHaveDigests) {
  const std::string path = testing::TempDir() + "stretto-digest.grammar";
  auto contents = [&](const std::string &text) {
    std::ofstream(path) << text;
    return contentsOf("lano", {{"grammar", path}, {"length", "8"}});
  };
  const std::string text = "terminals p q\nS -> p q | q\n", digest = contents(text);
  EXPECT_TRUE(digest.starts_with("grammar ") && digest.size() == 8 + 16 + 1) << digest;
  EXPECT_EQ(contents(text), digest);
  EXPECT_NE(contents("terminals p q\nS -> p p | q\n"), digest);
  EXPECT_EQ(contentsOf("lano", {}), "");
  std::filesystem::remove(path);
}

// All the built-in ones, with the facts that were measured on the published data.
TEST(Grammar, builtInGrammarsAreThePublishedOnes) {
  struct Facts {
    const char *name;
    int64_t shortest, longest;
    size_t rules;
    double mean, entropy; // tokens; bits of a derivation
  };
  for (Facts facts : {Facts{"cfg3b", 0, 0, 32, 276, 0},
                      {"cfg3f", 64, 729, 54, 250, 269},
                      {"cfg3j", 128, 2052, 57, 544, 619},
                      {"cfg3k", 132, 1458, 68, 516, 608}}) {
    const Grammar grammar = findGrammar(facts.name);
    size_t rules = 0;
    std::vector<double> entropy(grammar.symbols());
    for (int32_t symbol = grammar.terminals; symbol < grammar.symbols(); ++symbol) {
      const double choices = double(grammar.rules[symbol].size());
      rules += grammar.rules[symbol].size();
      entropy[symbol] = std::log2(choices);
      for (const Grammar::Rule &rule : grammar.rules[symbol])
        for (int32_t child : rule)
          entropy[symbol] += entropy[child] / choices;
    }
    const std::vector<double> lengths = grammar.lengthDistribution();
    double mean = 0, sum = 0;
    for (size_t n = 0; n < lengths.size(); ++n)
      mean += double(n) * lengths[n], sum += lengths[n];
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_NEAR(mean, facts.mean, 0.5) << facts.name;
    EXPECT_EQ(rules, facts.rules) << facts.name;
    if (facts.entropy == 0)
      continue;
    EXPECT_NEAR(entropy.back(), facts.entropy, 0.5) << facts.name;
    EXPECT_EQ(grammar.shortest.back(), facts.shortest) << facts.name;
    EXPECT_EQ(grammar.longest.back(), facts.longest) << facts.name;
  }
  for (const std::string &name : grammarNames())
    EXPECT_EQ(findGrammar(name).terminals, 3) << name;
}

TEST(Grammar, lengthsAgreeWithBruteForce) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Grammar grammar = randomGrammar(seed);
    std::vector<Rational> exact(size_t(grammar.longest.back()) + 1);
    for (const auto &[string, p] : languageOf(grammar))
      exact.at(string.size()) = exact.at(string.size()) + p;
    const std::vector<double> lengths = grammar.lengthDistribution();
    ASSERT_EQ(lengths.size(), exact.size());
    for (size_t n = 0; n < lengths.size(); ++n)
      EXPECT_NEAR(lengths[n], double(exact[n]), 1e-14) << "seed " << seed << ", length " << n;
    EXPECT_GT(lengths[size_t(grammar.shortest.back())], 0);
    EXPECT_GT(lengths.back(), 0);
  }
}
