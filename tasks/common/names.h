// Names of nodes as tokens, for tasks on graphs.
#pragma once

#include "tasks/common/packing.h"
#include "tasks/common/words.h"

namespace stretto::tasks {

// Names are words of `r_min` .. `r_max` letters out of `v`. All letters of a word but the last have ids from `inner` on
// (there are none where words have one letter), the last has one from `last` on and so ends the word. Letters have the
// largest ids of a task.
class Names {
public:
  // The parameters v, r_min and r_max with their defaults.
  static std::vector<ParameterInfo> parameterInfos(int64_t v, int64_t rMin, int64_t rMax);
  static constexpr int32_t mostLetters = 4500;

  // Letters take the ids from `first` on. Throws TaskError where the parameters do not go together or allow fewer than
  // parameter `n` names.
  Names(const Parameters &values, int32_t first);

  // One more than the largest id.
  int32_t end() const { return last + v; }
  // `n` distinct names, see Words::draw.
  std::vector<uint64_t> draw(Random &random, int64_t n) const { return words.draw(random, n); }
  void add(uint64_t name, Row &row, bool counts) const;

  bool isLetter(int32_t token) const { return token >= inner; }
  bool endsName(int32_t token) const { return token >= last; }
  // Takes the letters of one name from the front of `tokens`. A name that something other than a letter cuts lacks the
  // letter that ends it.
  std::span<const int32_t> take(std::span<const int32_t> &tokens) const;

  // A name as text: letters a, b, ... or, in large alphabets, numbers with dots; "..." where it is cut.
  std::string text(std::span<const int32_t> name) const;
  std::string takeText(std::span<const int32_t> &tokens) const { return text(take(tokens)); }

  // What the token of a letter says: "letter 1", or "last letter 1".
  std::string meaning(int32_t token) const;

  // The token of a letter in text: names are as in text(), with a space behind the letter that ends them.
  std::string letterText(int32_t token) const;

  // Puts the published numbers of letters at their ids: from 1 on for letters inside a word, from `numberOfLast` on for
  // those that end one.
  void publish(std::span<int32_t> ids, int32_t numberOfLast) const;

private:
  // 0 .. v-1
  int32_t letterOf(int32_t token) const { return token - (endsName(token) ? last : inner); }
  // "a", "b", ..., or in large alphabets "1", "2", ...
  std::string shown(int32_t token) const;

  int32_t v;
  Words words;
  int32_t inner, last;
};

} // namespace stretto::tasks
