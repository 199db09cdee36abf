// Context-free grammars without recursion, whose rules are chosen uniformly among those of a symbol.
#pragma once

#include "tasks/common/random.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::tasks {

// Symbols are numbers: the terminals 0 .. terminals-1 in the order of the file, then the non-terminals, each above
// every symbol of its rules; the root is the last one. Every symbol is reached from the root, every rule has a child,
// no two rules of a symbol are alike.
struct Grammar {
  using Rule = std::vector<int32_t>; // children, left to right

  // What a grammar may be at most; beyond, reading fails.
  static constexpr size_t mostSymbols = 1024, mostRules = 1024, mostChildren = 16, mostBytes = 1 << 20,
                          mostCharacters = 64; // of a name
  static constexpr int64_t mostTokens = 4096;  // of a sentence

  // The token that opens a sentence, as text; no terminal has its name.
  static constexpr std::string_view opening = "<begin>";

  std::string name;
  std::string digest;             // of the file it was read from; empty: it came with the program
  std::vector<std::string> names; // of each symbol
  int32_t terminals = 0;
  std::vector<std::vector<Rule>> rules;   // of each symbol; none of terminals
  std::vector<int64_t> shortest, longest; // tokens that each symbol derives
  std::vector<int32_t> published;         // numbers of the end and of the terminals in published data; may be empty

  int32_t symbols() const { return int32_t(names.size()); }
  int32_t root() const { return symbols() - 1; }

  // Appends a random derivation of a symbol to `out`, `shift` added to each terminal.
  void derive(int32_t symbol, Random &random, int32_t shift, std::vector<int32_t> &out) const;

  // The probability that a sentence has n tokens, for n = 0 .. longest sentence.
  std::vector<double> lengthDistribution() const;
};

// Reads a grammar:
//   # a comment, up to the end of the line
//   terminals 1 2 3            once, first: the names of the tokens
//   published 4 1 2 3          optional: the numbers of the end and of the terminals in published data
//   S -> A B | B A             all rules of a symbol; the first symbol is the root
//     | A A                    a line that opens with "|" goes on
// Names are printable ASCII characters without spaces, "#", "|" and "->". Throws TaskError that opens with
// "origin:line: ": for bad syntax, symbols without rules, symbols that the root does not reach, unused terminals, rules
// that lead from a symbol back to it, repeated rules, and sizes beyond those above.
Grammar readGrammar(std::string_view text, const std::string &origin);

// The names of the grammars that come with the program.
std::vector<std::string> grammarNames();

// A grammar by its name, or else the one in the file at that path. Throws TaskError where there is neither, and
// where the file cannot be read.
Grammar findGrammar(const std::string &nameOrPath);

} // namespace stretto::tasks
