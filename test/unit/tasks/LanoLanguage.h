// The language of a small grammar by brute force, with exact probabilities; shares nothing with the generator, the
// parser and the tables of the task.
#pragma once

#include "tasks/lano/grammar.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace stretto::test {

// An exact fraction; aborts where it does not fit.
class Rational {
public:
  __extension__ typedef __int128 Integer;

  Rational(int64_t up = 0, int64_t down = 1) : up(up), down(down) {}

  friend Rational operator*(const Rational &a, const Rational &b) {
    Integer left = gcd(a.up, b.down), right = gcd(b.up, a.down);
    return make(times(a.up / left, b.up / right), times(a.down / right, b.down / left));
  }
  friend Rational operator+(const Rational &a, const Rational &b) {
    Integer common = gcd(a.down, b.down);
    Integer sum = 0;
    if (__builtin_add_overflow(times(a.up, b.down / common), times(b.up, a.down / common), &sum))
      std::abort();
    Integer down = times(a.down, b.down / common), shared = gcd(sum, down);
    return make(sum / shared, down / shared);
  }
  friend Rational operator/(const Rational &a, const Rational &b) { return a * make(b.down, b.up); }
  friend bool operator==(const Rational &a, const Rational &b) { return a.up == b.up && a.down == b.down; }
  explicit operator double() const { return double(up) / double(down); }

private:
  static Rational make(Integer up, Integer down) {
    Rational made;
    made.up = up;
    made.down = up == 0 ? 1 : down;
    return made;
  }
  static Integer gcd(Integer a, Integer b) {
    while (b != 0)
      a %= b, std::swap(a, b);
    return a == 0 ? 1 : a;
  }
  static Integer times(Integer a, Integer b) {
    Integer product = 0;
    if (__builtin_mul_overflow(a, b, &product))
      std::abort();
    return product;
  }

  Integer up, down;
};

// Strings of terminals with their probabilities.
using Language = std::map<std::vector<int32_t>, Rational>;

inline Language languageOf(const tasks::Grammar &grammar, int32_t symbol) {
  if (symbol < grammar.terminals)
    return {{{symbol}, 1}};
  Language all;
  for (const tasks::Grammar::Rule &rule : grammar.rules[symbol]) {
    Language strings = {{{}, Rational(1, int64_t(grammar.rules[symbol].size()))}};
    for (int32_t child : rule) {
      Language longer;
      const Language tails = languageOf(grammar, child);
      for (const auto &[head, p] : strings)
        for (const auto &[tail, q] : tails) {
          std::vector<int32_t> joined = head;
          joined.insert(joined.end(), tail.begin(), tail.end());
          longer[joined] = longer[joined] + p * q;
        }
      strings = std::move(longer);
    }
    for (const auto &[string, p] : strings)
      all[string] = all[string] + p;
  }
  return all;
}

inline Language languageOf(const tasks::Grammar &grammar) { return languageOf(grammar, grammar.root()); }

// A grammar of two to four layers whose rules may be of one child, share their openings, and derive a string in several
// ways; its language has no more than some thousand strings.
inline tasks::Grammar randomGrammar(uint64_t seed) {
  tasks::Random random(seed, 77, 0);
  const size_t layers = 2 + random.below(3), terminals = 1 + random.below(3);
  std::string text = "terminals";
  std::vector<std::string> last, all; // names of the layer below, and of all layers below
  for (size_t t = 0; t < terminals; ++t)
    last.push_back(std::string(1, char('a' + t)));
  for (const std::string &name : last)
    text += " " + name;
  all = last;
  std::string rules;
  for (size_t layer = 1; layer <= layers; ++layer) {
    const size_t count = layer == layers ? 1 : 1 + random.below(2);
    std::vector<std::string> names;
    size_t owed = 0; // each symbol below is used by somebody
    for (size_t i = 0; i < count; ++i) {
      names.push_back(std::string(1, char('A' + i)) + std::to_string(layer));
      std::vector<std::string> made;
      const size_t wanted = 1 + random.below(3);
      while (made.size() < wanted || (i + 1 == count && owed < last.size())) {
        std::string rule;
        for (size_t children = 1 + random.below(layer > 2 ? 2 : 3); children > 0; --children)
          rule += " " + (owed < last.size() ? last[owed++] : all[random.below(all.size())]);
        if (std::find(made.begin(), made.end(), rule) == made.end())
          made.push_back(rule);
        else if (made.size() >= last.size())
          break;
      }
      std::string line = names.back() + " ->";
      for (size_t r = 0; r < made.size(); ++r)
        line += (r ? " |" : "") + made[r];
      rules = line + "\n" + rules;
    }
    last = names;
    all.insert(all.end(), names.begin(), names.end());
  }
  return tasks::readGrammar(text + "\n" + rules, "random");
}

} // namespace stretto::test
