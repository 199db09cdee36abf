// The text of Capo: six sentences about a person, as tokens.
#pragma once

#include "tasks/capo/people.h"
#include "tasks/common/rows.h"
#include "tasks/common/text.h"

namespace stretto::tasks {

// What a biography tells, in the order in which scores list it. Employer holds the tokens of the work city as well,
// which is the employer's.
enum class Fact : uint8_t { Name, Pronoun, BirthDate, BirthCity, University, Major, Employer };
inline constexpr size_t factCount = 7;
inline constexpr const char *factNames[factCount] = {"name",       "pronoun", "birth_date", "birth_city",
                                                     "university", "major",   "employer"};

// Which template each sentence takes.
using Choice = std::array<uint32_t, sentenceCount>;

// Writes biographies. Every document opens with the token 0. Tokens never join the end of a value and what follows.
class Biographies {
public:
  static constexpr int32_t begin = 0;

  // The work city is told before the employer where `cityFirst`. Without a tokenizer words are tokens.
  Biographies(const Lists &lists, bool cityFirst, std::shared_ptr<const Bpe> bpe);

  Choice choose(Random &random) const;
  // The templates of the fewest tokens.
  const Choice &shortest() const { return shortestChoice; }

  // Tokens of a biography, `begin` included.
  int64_t length(const Person &person, const Choice &choice) const;
  // Of all biographies: the most and the fewest tokens, the most with the shortest templates, the mean and the variance
  // where people and templates are uniform.
  int64_t longest() const { return longestValues + longestTemplates; }
  int64_t fewest() const { return shortestValues + shortestTemplates; }
  int64_t longestAtShortest() const { return longestValues + shortestTemplates; }
  double mean() const { return meanLength; }
  double variance() const { return lengthVariance; }

  // Appends a biography. The answers are the tokens of each fact: the three names, the first word that tells the
  // pronoun, the date, places and so on; `group` is a Fact.
  void append(const Person &person, const Choice &choice, bool counts, Row &row) const;

  const Vocabulary &vocabulary() const { return words; }

private:
  // Part of a compiled template: literal tokens, or a slot.
  struct Part {
    bool literal;
    Slot slot;
    uint32_t tokens; // index into `literals`
  };
  struct Compiled {
    std::vector<Part> parts;
    std::array<int64_t, 2> fixed{}; // tokens without the values, of him and of her
  };

  void encodeLists(const Lists &lists);
  void compile(const Lists &lists);
  void measure();
  int64_t valueLength(const Person &person) const;
  std::span<const int32_t> pronoun(Slot slot, bool she) const;
  void appendSlot(Slot slot, const Person &person, bool counts, Row &row, bool &pronounTold) const;
  void appendTokens(std::span<const int32_t> tokens, bool counts, Row &row) const;

  Vocabulary words;
  TokenTable months, days, years, first, middle, last, cities, universities, majors, employers, workCities, pronouns,
      literals;
  std::vector<int32_t> comma;
  std::vector<uint32_t> headquarters;
  std::array<std::vector<Compiled>, sentenceCount> templates;
  std::array<Sentence, sentenceCount> order;
  Choice shortestChoice{};
  int64_t longestValues = 0, shortestValues = 0, longestTemplates = 0, shortestTemplates = 0;
  double meanLength = 0, lengthVariance = 0;
};

} // namespace stretto::tasks
