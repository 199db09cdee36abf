// One fuzzing step of the reader of Capo's lists, and of biographies made of them. Aborts if an invariant breaks.
#pragma once

#include "tasks/capo/biography.h"

#include <cstdlib>
#include <map>

namespace stretto::test {

// Short lists that go together.
inline const std::map<std::string, std::string> &smallLists() {
  static const std::map<std::string, std::string> lists = {
      {"first", "Ada\nBo\n"},
      {"middle", "Lee\nMay\n"},
      {"last", "Hill\nStone\n"},
      {"cities", "Oslo\nRome\n"},
      {"universities", "North College\n"},
      {"majors", "Law\nFine Arts\n"},
      {"employers", "Acme | Oslo\nOrbit Works | Rome\n"},
      {"sentences_birth_date", "{name} was born on {date}.\n{name} came on {date}, as {his} mother says.\n"},
      {"sentences_birth_city", "{He} grew up in {city}.\nIn {city} {he} was young.\n"},
      {"sentences_university", "{He} went to {university} by {himself}.\n"},
      {"sentences_major", "{He} studied {major}.\n"},
      {"sentences_employer", "{employer} hired {him}.\n"},
      {"sentences_work_city", "{His} office is in {work_city}.\n"},
      {"work_cities", "Rome\nOslo\nNew Acre\n"}};
  return lists;
}

inline void checkBiographies(const tasks::Lists &lists) {
  const tasks::Biographies texts(lists, false, nullptr);
  const tasks::People people(lists, std::min<uint64_t>(lists.names(), 3), 0);
  for (uint64_t i = 0; i < people.count(); ++i) {
    tasks::Row row;
    texts.append(people[i], texts.shortest(), true, row);
    if (int64_t(row.tokens.size()) != texts.length(people[i], texts.shortest()) ||
        int64_t(row.tokens.size()) > texts.longestAtShortest() || row.answers.size() + 1 < tasks::factCount)
      std::abort(); // lengths are known, and every fact is told but maybe the pronoun
    if (texts.vocabulary().join(row.tokens).find('{') != std::string::npos)
      std::abort(); // no placeholder is left
  }
}

// The first byte says which of the lists the rest of the input is, and with its highest bit that work cities have none
// of their own. True where it was one.
inline bool checkListsInput(std::string_view input) {
  if (input.empty())
    return false;
  std::map<std::string, std::string> texts = smallLists();
  const auto first = uint8_t(input[0]);
  if (first & 0x80)
    texts.erase("work_cities");
  auto list = std::next(texts.begin(), (first & 0x7f) % texts.size());
  list->second = input.substr(1);
  try {
    checkBiographies(tasks::readLists(texts, "fuzz"));
  } catch (const tasks::TaskError &error) {
    const std::string_view text = error.what();
    if (!text.starts_with("fuzz/") || text.find(".txt:") == text.npos || text.find('\n') != text.npos)
      std::abort(); // every message is one line and has a place
    return false;
  }
  return true;
}

} // namespace stretto::test
