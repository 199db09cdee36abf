// One fuzzing step of the reader of grammars, the parser and the next-token distribution. Aborts if an invariant
// breaks.
#pragma once

#include "tasks/common/parameters.h"
#include "tasks/lano/next_tokens.h"
#include "tasks/lano/parser.h"

#include <cmath>
#include <cstdlib>

namespace stretto::test {

// True where the text was a grammar.
inline bool checkGrammarInput(std::string_view text) {
  tasks::Grammar grammar;
  try {
    grammar = tasks::readGrammar(text, "fuzz");
  } catch (const tasks::TaskError &error) {
    if (!std::string_view(error.what()).starts_with("fuzz:"))
      std::abort(); // every message has a place
    return false;
  }
  const int64_t shortest = grammar.shortest[grammar.root()], longest = grammar.longest[grammar.root()];
  if (longest > 200)
    return true;
  tasks::Random random(1, 0, text.size());
  tasks::Parser parser(grammar);
  tasks::NextTokens next(grammar);
  const size_t width = size_t(grammar.terminals) + 1;
  for (int i = 0; i < 3; ++i) {
    std::vector<int32_t> tokens;
    grammar.derive(grammar.root(), random, 0, tokens);
    if (int64_t(tokens.size()) < shortest || int64_t(tokens.size()) > longest)
      std::abort(); // lengths are right
    if (!parser.accepts(tokens) || parser.parse(tokens).end != tokens.size())
      std::abort(); // what is drawn is a sentence
    const std::vector<double> rows = next.rows(tokens);
    if (rows.size() != (tokens.size() + 1) * width)
      std::abort(); // a sentence has all its rows
    for (size_t at = 0; at < rows.size(); at += width) {
      double sum = 0;
      for (size_t t = 0; t < width; ++t)
        sum += rows[at + t];
      if (std::abs(sum - 1) > 1e-9)
        std::abort(); // which are distributions
    }
  }
  return true;
}

} // namespace stretto::test
