// The words that nodes are named by: one or more letters, distinct within an instance.
#include "tasks/common/words.h"

#include <bit>

namespace stretto::tasks {

// A set of words with open addressing.
namespace {
class WordSet {
public:
  explicit WordSet(size_t most) : slots(std::bit_ceil(2 * most + 2), 0), shift(64 - std::countr_zero(slots.size())) {}

  // False where it was already there.
  bool insert(uint64_t word) {
    for (size_t at = (word * 0x9E3779B97F4A7C15u) >> shift;; at = (at + 1) & (slots.size() - 1)) {
      if (slots[at] == 0) {
        slots[at] = word + 1;
        return true;
      }
      if (slots[at] == word + 1)
        return false;
    }
  }

private:
  std::vector<uint64_t> slots; // word + 1; 0: free
  int shift;
};
} // namespace

bool Words::fits(int64_t v, int64_t rMax) {
  __extension__ unsigned __int128 words = 1;
  for (int64_t r = 0; r < rMax; ++r)
    if ((words *= uint64_t(v)) >> 62)
      return false;
  return true;
}

Words::Words(int64_t v, int64_t rMin, int64_t rMax) : v(uint64_t(v)), rMin(rMin), offsets{0} {
  uint64_t words = 1;
  for (int64_t r = 1; r <= rMax; ++r) {
    words *= this->v;
    if (r >= rMin)
      offsets.push_back(offsets.back() + words);
  }
}

std::vector<uint64_t> Words::draw(Random &random, int64_t n) const {
  WordSet taken{size_t(n)};
  std::vector<uint64_t> words;
  words.reserve(size_t(n));
  size_t lengths = offsets.size() - 1;
  while (int64_t(words.size()) < n) {
    size_t length = lengths == 1 ? 0 : random.below(lengths);
    uint64_t word = offsets[length] + random.below(offsets[length + 1] - offsets[length]);
    if (taken.insert(word))
      words.push_back(word);
  }
  return words;
}

void Words::letters(uint64_t word, std::vector<int32_t> &out) const {
  size_t length = 0;
  while (word >= offsets[length + 1])
    ++length;
  uint64_t rest = word - offsets[length];
  size_t from = out.size(), size = size_t(rMin) + length;
  out.resize(from + size);
  for (size_t i = size; i-- > 0; rest /= v)
    out[from + i] = int32_t(rest % v);
}

} // namespace stretto::tasks
