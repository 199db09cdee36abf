// Whether a string is a sentence of a grammar, and how.
#pragma once

#include "tasks/lano/items.h"

namespace stretto::tasks {

// A left-to-right chart parser (Earley: "An efficient context-free parsing algorithm", 1970) whose sets of start
// positions are bit sets: column k holds, for each place in a rule, the positions i such that the opening derives
// tokens i .. k-1 and the rule may stand at i given the tokens before it. As grammars have no cycles, the symbols that
// end at k are complete once all symbols below them are, so that one pass a column suffices, and whole sets join at
// once.
class Parser {
public:
  explicit Parser(const Grammar &grammar);

  struct Verdict {
    bool sentence = false; // the string is one
    size_t viable = 0;     // tokens of its longest opening that is an opening of a sentence
  };

  // A derivation.
  struct Tree {
    int32_t symbol = 0;
    size_t begin = 0, end = 0;  // the tokens it derives
    std::vector<Tree> children; // none of a terminal
  };

  // The string is of terminals, 0 .. terminals-1; anything else is no token of a sentence.
  Verdict check(std::span<const int32_t> tokens);
  bool accepts(std::span<const int32_t> tokens) { return check(tokens).sentence; }

  // One derivation of a sentence, the first in the order of rules and of shorter last children. The string must be
  // a sentence.
  Tree parse(std::span<const int32_t> tokens);

private:
  using Word = uint64_t;
  // The words [first, first + count) of a set, from `at` on in `store`; a set that is all zero has none.
  struct Row {
    uint32_t at = 0;
    uint16_t first = 0, count = 0;
  };

  void begin(size_t tokens);
  bool advance(size_t column, int32_t token);
  void predict(size_t column);
  void expect(const Word *symbols);
  void complete(int32_t symbol, size_t column);
  void touch(int32_t item, const Row &row);
  void finish(int32_t symbol, size_t column);
  void clear(int32_t item);
  Row unite(int32_t symbol);
  Row save(const Word *bits, size_t first, size_t end);
  const Row &opening(size_t column, int32_t item) const {
    return openings[column * size_t(items.slots) + size_t(items.slot[item])];
  }
  bool contains(const Row &row, size_t position) const;
  template <typename F> void forEach(const Row &row, F visit) const;
  Tree build(int32_t symbol, size_t from, size_t to) const;
  bool buildChildren(int32_t item, size_t from, size_t to, std::vector<Tree> &children) const;

  const Grammar &grammar;
  Items items;
  size_t symbolWords;                  // of a set of symbols
  std::vector<Word> openers;           // [symbol][symbolWords]: itself, and what its derivations may open with
  std::vector<Word> behind;            // [slot of an item][symbolWords]: what may stand behind it
  std::vector<Word> expected;          // [symbolWords]: what may stand at the column that is made
  size_t words = 0;                    // of a set of positions
  std::vector<Word> store;             // of all rows
  std::vector<Row> openings, finished; // [column][slot of an item], [column][symbol]
  std::vector<Word> predicted;         // [symbol][words]: columns at which it may stand
  std::vector<Word> current;           // [item][words]: the sets of the column that is made
  std::vector<Word> whole;             // [words]: one set, all zero between uses
  std::vector<std::pair<uint16_t, uint16_t>> touched; // words of `current` that may not be zero
  std::vector<uint8_t> reached;                       // symbols that have such words
};

} // namespace stretto::tasks
