// The words that nodes are named by: one or more letters, distinct within an instance.
#pragma once

#include "tasks/common/random.h"

#include <cstdint>
#include <vector>

namespace stretto::tasks {

// The words of rMin .. rMax letters over an alphabet of v letters. Words are numbered 0 .. count()-1, the
// shorter ones first, those of one length like numbers with v digits.
class Words {
public:
  // v^rMax must be below 2^62, see fits().
  Words(int64_t v, int64_t rMin, int64_t rMax);

  static bool fits(int64_t v, int64_t rMax);

  uint64_t count() const { return offsets.back(); }

  // `n` distinct words in the order of drawing, n <= count(). Each draw takes a length uniformly, then a
  // word of that length uniformly, and is repeated where the word is taken (as the published data does; so
  // short words run out before long ones).
  std::vector<uint64_t> draw(Random &random, int64_t n) const;

  // Appends the letters of a word, each 0 .. v-1.
  void letters(uint64_t word, std::vector<int32_t> &out) const;

private:
  uint64_t v;
  int64_t rMin;
  std::vector<uint64_t> offsets; // offsets[i]: number of words shorter than rMin + i
};

} // namespace stretto::tasks
