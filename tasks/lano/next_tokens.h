// The exact probabilities of the token that follows each opening of a sentence.
#pragma once

#include "tasks/lano/items.h"

namespace stretto::tasks {

// Inside probabilities (a symbol derives tokens i .. k-1) and forward ones (a derivation has written k tokens and goes
// on with a symbol), column by column as in the parser (Stolcke: "An efficient probabilistic context-free parsing
// algorithm that computes prefix probabilities", 1995). Every token is scaled by the inverse of its probability given
// those before it, so that the forward probabilities of a column sum to 1 and strings of any length stay within
// doubles; what is less likely than 1e-200 given the tokens before is dropped.
class NextTokens {
public:
  explicit NextTokens(const Grammar &grammar);

  // Rows of 1 + terminals numbers, which sum to 1: the probability that the sentence ends, then of each terminal. Row k
  // is the one after the first k tokens. A string that is no opening of a sentence has rows up to its longest
  // opening that is one.
  std::vector<double> rows(std::span<const int32_t> tokens);

private:
  // Numbers of the start positions first .. first+count-1, from `at` on in `store`.
  struct Row {
    size_t at = 0;
    uint32_t first = 0, count = 0;
  };

  void begin(size_t tokens);
  void advance(size_t column, double weight, int32_t token);
  void complete(int32_t symbol);
  void touch(int32_t item, uint32_t from, uint32_t to);
  const Row &opening(size_t column, int32_t item) const {
    return openings[column * size_t(items.slots) + size_t(items.slot[item])];
  }
  void finish(int32_t symbol, size_t column);
  void predict(size_t column);
  Row save(const double *values, size_t first, size_t end);

  struct Range {
    uint32_t first = UINT32_MAX, end = 0;
    void include(uint32_t from, uint32_t to) {
      first = from < first ? from : first;
      end = to > end ? to : end;
    }
  };

  const Grammar &grammar;
  Items items;
  size_t columns = 0;
  std::vector<double> store;
  std::vector<Row> openings;    // [column][slot of an item]: inside probabilities, scaled
  std::vector<double> forward;  // [symbol][column], scaled
  std::vector<double> current;  // [item][column]: of the column that is made, by start
  std::vector<Range> touched;   // of `current`
  std::vector<uint8_t> reached; // symbols some of whose items are touched
  std::vector<double> inside;   // [column]: of the symbol that is completed, by start
  Range insideRange;
  double rootInside = 0; // of the column: the root derives all tokens
};

} // namespace stretto::tasks
