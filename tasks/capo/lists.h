// The lists that people are made of.
#pragma once

#include "tasks/common/parameters.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::tasks {

// The sentences of a biography, in the order of the text where the employer comes first.
enum class Sentence : uint8_t { BirthDate, BirthCity, University, Major, Employer, WorkCity };
inline constexpr size_t sentenceCount = 6;

// What a sentence is filled with: texts of the person, then words that the pronoun decides.
enum class Slot : uint8_t {
  Name,
  Date,
  City,
  University,
  Major,
  Employer,
  WorkCity,
  He,
  he,
  His,
  his,
  Him,
  him,
  himself
};

// A sentence as written in a list: literal text and slots in turn. `text` has the space before it; a slot brings its
// own.
struct Template {
  struct Part {
    std::string text; // literal; empty: a slot
    Slot slot{};
  };
  std::vector<Part> parts;
};

struct Lists {
  std::vector<std::string> first, middle, last, cities, universities, majors, employers;
  std::vector<std::string> workCities; // where employers may be: `cities` unless there is a list of them
  std::vector<uint32_t> headquarters;  // of each employer: its work city
  std::array<std::vector<Template>, sentenceCount> templates;
  std::string digest; // of the files of the directory; empty: they came with the program

  // How many full names there are.
  uint64_t names() const { return uint64_t(first.size()) * middle.size() * last.size(); }
};

// One entry of a list file.
struct Line {
  std::string text;
  int64_t number = 0; // from 1
};

// The entries of a file of one per line. Throws TaskError, opening with "origin:line:", for an empty file or line,
// white space at an end of a line or twice in a row, a control sign, what is no UTF-8, a line of more than 4096 bytes,
// more than 2^20 lines, and an entry that occurs twice.
std::vector<Line> readLines(std::string_view text, const std::string &origin);

// A sentence whose one value is `value` ("{city}", say). Throws TaskError, opening with `place`, for placeholders that
// are unknown, not closed, missing or repeated, or not set apart from the words beside them.
Template readTemplate(const std::string &text, Sentence sentence, const std::string &place);

// The lists of a directory, or with an empty name those that come with the program. A directory holds the files
//   first.txt middle.txt last.txt cities.txt universities.txt majors.txt       an entry in each line
//   employers.txt                                                              "employer | city of its headquarters"
//   work_cities.txt, where work cities are not all in cities.txt                an entry in each line
//   sentences_birth_date.txt sentences_birth_city.txt sentences_university.txt sentences_major.txt
//   sentences_employer.txt sentences_work_city.txt                             a template in each line
// of any number of lines. Throws TaskError for missing and malformed files, with the line.
Lists readLists(const std::string &directory);
// The same from the texts of these files by their names without ".txt"; the directory is for messages.
Lists readLists(const std::map<std::string, std::string> &texts, const std::string &directory);

} // namespace stretto::tasks
