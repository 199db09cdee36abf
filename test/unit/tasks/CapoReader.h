// Reads biographies back from their text, by matching sentences against the lists: a road of its own, which knows
// neither tokens nor people.
#pragma once

#include "tasks/capo/lists.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace stretto::test {

// A text of the person and where it stands in the biography.
struct Told {
  std::string text;
  size_t at = 0;
};

struct ReadPerson {
  Told name, date, city, university, major, employer, workCity, pronoun; // the pronoun: its first word
  std::array<size_t, tasks::sentenceCount> templates{};
  bool she = false;
};

inline std::string replaceAll(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Template lines as they are written in the files, with placeholders.
inline std::string written(const tasks::Template &sentence) {
  static const char *names[] = {"name", "date", "city", "university", "major", "employer", "work_city",
                                "He",   "he",   "His",  "his",        "Him",   "him",      "himself"};
  std::string text;
  for (const tasks::Template::Part &part : sentence.parts)
    text += part.text.empty() ? std::string(" {") + names[size_t(part.slot)] + "}" : part.text;
  return text.substr(1);
}

// The template line with the words of a pronoun.
inline std::string withPronoun(std::string line, bool she) {
  const std::pair<const char *, const char *> words[] = {{"{He}", "She"},         {"{he}", "she"},  {"{His}", "Her"},
                                                         {"{his}", "her"},        {"{Him}", "Her"}, {"{him}", "her"},
                                                         {"{himself}", "herself"}};
  for (auto [placeholder, word] : words) {
    std::string he = std::string(placeholder).substr(1);
    he.pop_back();
    line = replaceAll(line, placeholder, she ? word : he);
  }
  return line;
}

class CapoReader {
public:
  explicit CapoReader(const tasks::Lists &lists) : lists(lists) {
    for (size_t s = 0; s < tasks::sentenceCount; ++s)
      for (const tasks::Template &sentence : lists.templates[s])
        for (bool she : {false, true}) {
          std::string line = withPronoun(replaceAll(written(sentence), "{name}", ""), she);
          around[s][she].emplace_back(line.substr(0, line.find('{')), line.substr(line.find('}') + 1));
        }
  }

  // Nothing where the text is no whole biography with its sentences in the given order.
  std::optional<ReadPerson> read(const std::string &text, bool cityFirst = false) const {
    ReadPerson person;
    std::vector<tasks::Sentence> order = {tasks::Sentence::BirthDate,  tasks::Sentence::BirthCity,
                                          tasks::Sentence::University, tasks::Sentence::Major,
                                          tasks::Sentence::Employer,   tasks::Sentence::WorkCity};
    if (cityFirst)
      std::swap(order[4], order[5]);
    size_t second = text.find(". ") + 2;
    person.she = text.substr(second, 4) == "She ";
    person.pronoun = {person.she ? "She" : "He", second};
    size_t from = 0;
    for (tasks::Sentence sentence : order) {
      size_t end = text.find('.', from);
      if (end == std::string::npos || !readSentence(text.substr(from, end + 1 - from), from, sentence, person))
        return std::nullopt;
      from = end + 2;
    }
    return from == text.size() + 1 ? std::optional(person) : std::nullopt;
  }

private:
  bool readSentence(std::string text, size_t at, tasks::Sentence which, ReadPerson &person) const {
    if (which == tasks::Sentence::BirthDate) {
      size_t end = text.find(' ', text.find(' ') + 1) + 1;
      end = text.find_first_of(" '", end);
      person.name = {text.substr(0, end), at};
      text = text.substr(end);
      at += end;
    }
    const auto &candidates = around[size_t(which)][person.she];
    for (size_t t = 0; t < candidates.size(); ++t) {
      const auto &[before, after] = candidates[t];
      if (text.size() <= before.size() + after.size() || !text.starts_with(before) || !text.ends_with(after))
        continue;
      Told told = {text.substr(before.size(), text.size() - before.size() - after.size()), at + before.size()};
      if (keep(which, told, person)) {
        person.templates[size_t(which)] = t;
        return true;
      }
    }
    return false;
  }

  static bool isIn(const std::string &text, const std::vector<std::string> &list) {
    return std::ranges::find(list, text) != list.end();
  }

  bool keep(tasks::Sentence which, const Told &told, ReadPerson &person) const {
    switch (which) {
    case tasks::Sentence::BirthDate:
      person.date = told;
      return std::ranges::count(told.text, ' ') == 2 && told.text[told.text.size() - 6] == ',';
    case tasks::Sentence::BirthCity:
      person.city = told;
      return isIn(told.text, lists.cities);
    case tasks::Sentence::University:
      person.university = told;
      return isIn(told.text, lists.universities);
    case tasks::Sentence::Major:
      person.major = told;
      return isIn(told.text, lists.majors);
    case tasks::Sentence::Employer:
      person.employer = told;
      return isIn(told.text, lists.employers);
    case tasks::Sentence::WorkCity:
      person.workCity = told;
      return isIn(told.text, lists.workCities);
    }
    return false;
  }

  const tasks::Lists &lists;
  // Of each sentence, as he and as she: what stands before and after the value of each template; the name left out.
  std::array<std::array<std::vector<std::pair<std::string, std::string>>, 2>, tasks::sentenceCount> around;
};

} // namespace stretto::test
