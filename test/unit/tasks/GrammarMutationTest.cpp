// Seeded mutations of grammars: no text may crash the reader, hang it or take unbounded memory, and what it reads
// works.
#include "tasks/lano/embedded_grammars.h"
#include "test/fuzz/GrammarInput.h"
#include "test/fuzz/Mutated.h"

#include <gtest/gtest.h>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;

namespace {
class Mutator {
public:
  std::string next() {
    const std::string_view text = pick(), other = pick();
    pieces.back() = other.substr(random.below(other.size()), random.below(40));
    return test::mutated(std::string(text), random, pieces);
  }

private:
  std::string_view pick() {
    static constexpr std::string_view own = "terminals a b\nS -> A B | B A\nA -> a | a B a\nB -> b b | a b\n";
    return random.below(2) ? own : embeddedGrammars[random.below(embeddedGrammars.size())].text;
  }

  Random random{20240607, 3, 0};
  test::Pieces pieces{" | ", "->",   " a", " b",   " A", " B",         " S",
                      " 7",  " 12",  "\n", "\n| ", "#",  "terminals ", "published 1 2 3\n",
                      "\t",  "\r\n", "x",  ""}; // the last: of another grammar
};
} // namespace

TEST(GrammarMutations, neverCrash) {
  Mutator mutator;
  int grammars = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = mutator.next();
    SCOPED_TRACE(text);
    grammars += test::checkGrammarInput(text);
  }
  EXPECT_GT(grammars, 1000);
  EXPECT_LT(grammars, 19000);
}

TEST(GrammarMutations, hostileTextsEnd) {
  std::string words = "terminals", chain = "terminals a\n", wide = "terminals a\n";
  for (int i = 0; i < 200000; ++i)
    words.append(" ").append(std::to_string(i));
  EXPECT_FALSE(test::checkGrammarInput(words));
  EXPECT_FALSE(test::checkGrammarInput("terminals a\npublished" + words.substr(9)));
  EXPECT_FALSE(test::checkGrammarInput("terminals a\nS ->" + words.substr(9)));
  EXPECT_FALSE(test::checkGrammarInput(std::string(Grammar::mostBytes, 'a')));
  EXPECT_FALSE(test::checkGrammarInput("terminals a\nS -> " + std::string(Grammar::mostBytes / 2, '|')));
  for (int i = 0; i < 1000; ++i)
    chain.append("N")
        .append(std::to_string(i))
        .append(i < 999 ? " -> N" + std::to_string(i + 1) : " -> a")
        .append("\n");
  EXPECT_TRUE(test::checkGrammarInput(chain));
  for (int i = 0; i < 60; ++i) {
    const std::string below = " N" + std::to_string(i + 1);
    wide.append("N").append(std::to_string(i)).append(" ->");
    for (int child = 0; child < 16; ++child)
      wide.append(i < 59 ? below : " a");
    wide.append("\n");
  }
  EXPECT_FALSE(test::checkGrammarInput(wide));
}
