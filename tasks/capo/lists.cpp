// The lists that people are made of.
#include "tasks/capo/lists.h"

#include "runtime/core/nearest.h"
#include "runtime/core/utf8.h"
#include "tasks/capo/embedded_lists.h"
#include "tasks/common/digest.h"
#include "tasks/common/files.h"

#include <algorithm>
#include <unordered_map>

namespace stretto::tasks {

// The files of sentences, the value that each must hold, and the placeholders by their names.
static constexpr std::pair<const char *, Slot> sentenceFiles[sentenceCount] = {
    {"birth_date", Slot::Date}, {"birth_city", Slot::City},   {"university", Slot::University},
    {"major", Slot::Major},     {"employer", Slot::Employer}, {"work_city", Slot::WorkCity}};

static const std::vector<std::string> slotNames = {"name",     "date",      "city", "university", "major",
                                                   "employer", "work_city", "He",   "he",         "His",
                                                   "his",      "Him",       "him",  "himself"};

// The list that a directory may leave out.
static constexpr const char *workCityList = "work_cities";

static std::string pathOf(const std::string &directory, const std::string &list) {
  return (directory.empty() ? "" : directory + "/") + list + ".txt";
}

static std::string at(const std::string &origin, int64_t line) { return origin + ":" + std::to_string(line) + ": "; }

static void checkLine(const std::string &line, const std::string &place) {
  if (line.empty())
    throw TaskError(place + "a line must not be empty");
  if (line.size() > 4096)
    throw TaskError(place + "a line must have at most 4096 bytes, but got " + std::to_string(line.size()));
  if (std::ranges::any_of(line, [](char c) { return uint8_t(c) < 0x20 || c == 0x7f; }))
    throw TaskError(place + "a line must not hold control signs");
  if (const size_t size = runtime::validUtf8(line); size < line.size())
    throw TaskError(place + "a line must be written in UTF-8, but got the byte " + std::to_string(uint8_t(line[size])));
  if (line.front() == ' ' || line.back() == ' ' || line.find("  ") != std::string::npos)
    throw TaskError(place + "a line must have single spaces, and none at its ends");
}

std::vector<Line> readLines(std::string_view text, const std::string &origin) {
  std::vector<Line> lines;
  std::unordered_map<std::string, int64_t> seen;
  for (size_t from = 0; from < text.size();) {
    size_t end = std::min(text.find('\n', from), text.size());
    std::string line(text.substr(from, end - from));
    from = end + 1;
    if (!line.empty() && line.back() == '\r')
      line.pop_back();
    int64_t number = int64_t(lines.size()) + 1;
    std::string place = at(origin, number);
    checkLine(line, place);
    auto [found, isNew] = seen.try_emplace(line, number);
    if (!isNew)
      throw TaskError(place + "'" + line + "' must occur once, but is also in line " + std::to_string(found->second));
    if (number > 1 << 20)
      throw TaskError(place + "a list must have at most 1048576 entries");
    lines.push_back({std::move(line), number});
  }
  if (lines.empty())
    throw TaskError(at(origin, 1) + "a list must have at least one entry");
  return lines;
}

// What must hold of the slots of a whole template.
static void checkSlots(const Template &sentence, Sentence which, const std::string &place) {
  auto count = [&](Slot slot) {
    return std::ranges::count_if(sentence.parts, [&](const auto &p) { return p.text.empty() && p.slot == slot; });
  };
  for (Slot slot = Slot::Name; slot < Slot::He; slot = Slot(uint8_t(slot) + 1)) {
    bool wanted = slot == sentenceFiles[size_t(which)].second || (slot == Slot::Name && which == Sentence::BirthDate);
    if (count(slot) != wanted)
      throw TaskError(place + "a sentence must hold {" + slotNames[size_t(slot)] + "} " + (wanted ? "once" : "never") +
                      ", but got it " + std::to_string(count(slot)) + " times");
  }
}

static bool isWordSign(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || uint8_t(c) >= 0x80;
}

Template readTemplate(const std::string &line, Sentence which, const std::string &place) {
  const std::string text = " " + line;
  Template sentence;
  for (size_t from = 0; from < text.size();) {
    size_t open = std::min(text.find_first_of("{}", from), text.size());
    // A slot brings the space before it.
    if (size_t literal = open == text.size() ? open : open - 1; literal > from)
      sentence.parts.push_back({text.substr(from, literal - from)});
    if (open == text.size())
      break;
    size_t close = text.find('}', open);
    if (text[open] == '}' || close == std::string::npos)
      throw TaskError(place + "a placeholder must be written {name}");
    std::string name = text.substr(open + 1, close - open - 1);
    auto found = std::ranges::find(slotNames, name);
    if (found == slotNames.end())
      throw TaskError(place + "no placeholder is called '" + name + "'" + runtime::suggestName(name, slotNames));
    from = close + 1;
    if (text[open - 1] != ' ' || (from < text.size() && (isWordSign(text[from]) || text[from] == '{')))
      throw TaskError(place + "a space must stand before {" + name + "}, and no letter or digit after it");
    sentence.parts.push_back({{}, Slot(found - slotNames.begin())});
  }
  checkSlots(sentence, which, place);
  return sentence;
}

namespace {

// Reads the texts of all files.
class ListReader {
public:
  ListReader(const std::map<std::string, std::string> &texts, const std::string &directory)
      : texts(texts), directory(directory) {}

  Lists read() const {
    Lists lists;
    lists.first = entries("first");
    lists.middle = entries("middle");
    lists.last = entries("last");
    lists.cities = entries("cities");
    lists.workCities = texts.contains(workCityList) ? entries(workCityList) : lists.cities;
    lists.universities = entries("universities");
    lists.majors = entries("majors");
    readEmployers(lists);
    for (size_t i = 0; i < sentenceCount; ++i) {
      std::string file = std::string("sentences_") + sentenceFiles[i].first;
      for (const Line &line : lines(file))
        lists.templates[i].push_back(readTemplate(line.text, Sentence(i), at(origin(file), line.number)));
    }
    return lists;
  }

private:
  std::string origin(const std::string &name) const { return pathOf(directory, name); }

  std::vector<Line> lines(const std::string &name) const { return readLines(texts.at(name), origin(name)); }

  std::vector<std::string> entries(const std::string &name) const {
    std::vector<std::string> all;
    for (const Line &line : lines(name)) {
      if (line.text.find_first_of("{}|") != std::string::npos)
        throw TaskError(at(origin(name), line.number) + "an entry must not hold '{', '}' or '|'");
      all.push_back(line.text);
    }
    return all;
  }

  void readEmployers(Lists &lists) const {
    std::unordered_map<std::string, int64_t> seen;
    for (const Line &line : lines("employers")) {
      std::string place = at(origin("employers"), line.number);
      size_t bar = line.text.find(" | ");
      if (bar == std::string::npos || bar == 0 || line.text.find('|', bar + 2) != std::string::npos)
        throw TaskError(place + "an employer must be written 'employer | city'");
      if (line.text.find_first_of("{}") != std::string::npos)
        throw TaskError(place + "an employer must not hold '{' or '}'");
      std::string employer = line.text.substr(0, bar), city = line.text.substr(bar + 3);
      if (auto [found, isNew] = seen.try_emplace(employer, line.number); !isNew)
        throw TaskError(place + "'" + employer + "' must occur once, but is also in line " +
                        std::to_string(found->second));
      auto home = std::ranges::find(lists.workCities, city);
      if (home == lists.workCities.end())
        throw TaskError(place + "no city is called '" + city + "'" + nearestCity(city, lists));
      lists.employers.push_back(std::move(employer));
      lists.headquarters.push_back(uint32_t(home - lists.workCities.begin()));
    }
  }

  // A hint without the list of all cities.
  std::string nearestCity(const std::string &city, const Lists &lists) const {
    const bool listed = texts.contains(workCityList);
    auto nearest = runtime::nearestOf(city, lists.workCities);
    return (nearest ? "; did you mean '" + *nearest + "'?" : " in " + origin(listed ? workCityList : "cities")) +
           (listed ? "" : " (work cities have a list of their own where there is " + origin(workCityList) + ")");
  }

  const std::map<std::string, std::string> &texts;
  std::string directory;
};

} // namespace

Lists readLists(const std::map<std::string, std::string> &texts, const std::string &directory) {
  return ListReader(texts, directory).read();
}

static std::string digestOfAll(const std::map<std::string, std::string> &texts) {
  uint64_t digest = 0;
  for (const auto &[name, text] : texts)
    digest = digestOf(text, digest);
  return digestText(digest);
}

Lists readLists(const std::string &directory) {
  std::map<std::string, std::string> texts;
  for (const EmbeddedList &list : embeddedLists) {
    const std::string name(list.name);
    texts[name] = directory.empty() ? std::string(list.text) : readTextFile(pathOf(directory, name));
  }
  if (const std::string path = pathOf(directory, workCityList); !directory.empty() && fileExists(path))
    texts[workCityList] = readTextFile(path);
  Lists lists = readLists(texts, directory);
  if (!directory.empty())
    lists.digest = digestOfAll(texts);
  return lists;
}

} // namespace stretto::tasks
