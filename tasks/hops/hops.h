// Hops: birth years told in a long text, one or two steps away from the question.
#pragma once

#include "tasks/common/packing.h"
#include "tasks/hops/filler.h"

namespace stretto::tasks {

// An instance: <begin>, sentences of filler with facts at random boundaries between them, a question, the answer.
//   one hop    facts "X was born in the year of 1987."; asked is a person of a fact
//   two hops   the same, then as many links "Y was born in the same year as X.", a random bijection, all links after
//              all facts; asked is a person of a link. An instruction and tags stand around the text.
// Names are full names out of Capo's lists, all different; years are distinct ones of 1950 .. 2009, or of the first of
// these. The answer is one token, the year. Asked is anyone, or as published the first of the facts (one hop) or links;
// with one hop the first one's year is the first year of the text, so a model that trains on it learns no more than
// that.
class HopsTask : public PackedTask {
public:
  static const std::vector<ParameterInfo> &parameterInfos();

  explicit HopsTask(Parameters values);
  int64_t vocabulary() const override { return words.size(); }
  int64_t shortestDocument() const override { return tokensOf(0, std::tuple_size_v<Name>); }
  std::string meaning(int32_t id) const override { return words.meaning(id); }
  std::string text(int32_t id) const override { return words.shown(id); }
  std::map<std::string, std::string> contents() const override { return {{"file", filler->digest()}}; }

  std::vector<std::string> groups() const override { return {"accuracy"}; }
  // Adds "floor": what a guess among the years of the text scores.
  std::vector<runtime::Score> conclude(std::vector<runtime::Score> totals, int64_t weights) const override;

protected:
  void append(Random &random, runtime::Stream stream, Row &row) const override;
  std::string describeInstance(std::span<const int32_t> tokens) const override;

private:
  // The fixed words of an instance, and what names and years are written as.
  struct Phrases {
    std::vector<int32_t> opening, closing, fact, link, stop, question, answer;
    TokenTable first, middle, last, years;
    int64_t longestName = 0;
  };
  using Name = std::array<uint32_t, 3>;

  static Phrases makePhrases(const Parameters &values, Vocabulary &words);
  static std::unique_ptr<Filler> makeFiller(const Parameters &values, Vocabulary &words);

  // Tokens of an instance with so many of other sentences, whose names all have so many.
  int64_t tokensOf(int64_t fillers, int64_t name) const;

  std::vector<Name> drawNames(Random &random, size_t count) const;
  void appendName(const Name &name, std::vector<int32_t> &out) const;
  std::vector<std::vector<int32_t>> makeSentences(Random &random, Name &asked, uint32_t &year) const;
  std::vector<int32_t> hide(Random &random, const std::vector<std::vector<int32_t>> &told) const;

  int64_t people, hops, most;
  bool countsAll, askFirst;
  Vocabulary words;
  Phrases phrases;
  std::unique_ptr<Filler> filler;
};

} // namespace stretto::tasks
