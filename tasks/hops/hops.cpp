// Hops: birth years told in a long text, one or two steps away from the question.
#include "tasks/hops/hops.h"

#include "tasks/capo/lists.h"

#include <algorithm>
#include <numeric>

namespace stretto::tasks {

static constexpr int64_t firstYear = 1950, mostYears = 60;

const std::vector<ParameterInfo> &HopsTask::parameterInfos() {
  static const std::vector<ParameterInfo> infos = {
      {"hops", 1, 1, 2, "steps from the person asked for to the year"},
      {"people", 5, 1, mostYears, "people with a year, and with two hops as many linked to them"},
      {"filler", 512, 0, 1 << 20, "tokens of other sentences, at most"},
      ParameterInfo::text("file", "", "text that the other sentences are from, in place of the built-in ones"),
      ParameterInfo::word("ask", {"any", "first"},
                          "asked is anyone, or as published the first of the last group of facts"),
      {"names", 400, 2, 400, "first, middle and last names in use, of each list"},
      {"years", mostYears, 1, mostYears, "years in use, from 1950 on"},
      ParameterInfo::word("loss", {"answer", "all"}, "targets that count: the year asked for, or every token"),
      {"length", 1024, 1, 1 << 24, "tokens in a sequence"},
  };
  return infos;
}

HopsTask::Phrases HopsTask::makePhrases(const Parameters &values, Vocabulary &words) {
  const bool two = values["hops"] == 2;
  Phrases phrases;
  if (two) {
    phrases.opening =
        words.encode(" Some people in the context share a birth year with others. Answer from the context. <context>");
    phrases.closing = words.encode(" </context>");
  }
  phrases.fact = words.encode(" was born in the year of");
  phrases.link = words.encode(" was born in the same year as");
  phrases.stop = words.encode(".");
  phrases.question = words.encode(" Question: In which year was");
  phrases.answer = words.encode(" born? Answer:");
  const Lists lists = readLists("");
  const size_t count = size_t(values["names"]);
  auto encode = [&](TokenTable &table, const std::vector<std::string> &names) {
    size_t longest = 0;
    // Spread over the list, which is alphabetical.
    for (size_t i = 0; i < count; ++i) {
      table.add(words.encode(" " + names[i * names.size() / count]));
      longest = std::max(longest, table[i].size());
    }
    phrases.longestName += int64_t(longest);
  };
  encode(phrases.first, lists.first);
  encode(phrases.middle, lists.middle);
  encode(phrases.last, lists.last);
  for (int64_t year = firstYear; year < firstYear + values["years"]; ++year)
    phrases.years.add(words.encode(std::string(" ").append(std::to_string(year))));
  return phrases;
}

std::unique_ptr<Filler> HopsTask::makeFiller(const Parameters &values, Vocabulary &words) {
  const std::string &file = values.word("file");
  auto filler = file.empty() ? makeGrammarFiller(words) : makeTextFiller(file, words);
  if (int64_t most = values["filler"]; most > 0 && most < filler->shortest())
    values.refuse("filler", "must be 0 or at least " + std::to_string(filler->shortest()) +
                                ", the tokens of the shortest sentence, but got " + std::to_string(most));
  return filler;
}

HopsTask::HopsTask(Parameters values)
    : PackedTask(values, 0), people(parameters["people"]), hops(parameters["hops"]), most(parameters["filler"]),
      countsAll(parameters.word("loss") == "all"), askFirst(parameters.word("ask") == "first"), words(begin + 1),
      phrases(makePhrases(parameters, words)), filler(makeFiller(parameters, words)) {
  const int64_t names = parameters["names"];
  int64_t least = 2;
  while (least * least * least < hops * people)
    ++least;
  if (names < least)
    parameters.refuse("names", "must be at least " + std::to_string(least) + " for " + std::to_string(hops * people) +
                                   " different full names, but got " + std::to_string(names));
  if (parameters["years"] < people)
    parameters.refuse("years", "must be at least the number of 'people', " + std::to_string(people) + ", but got " +
                                   std::to_string(parameters["years"]));
  requireRoomFor(tokensOf(most, phrases.longestName));
}

int64_t HopsTask::tokensOf(int64_t fillers, int64_t name) const {
  const auto size = [](const auto &tokens) { return int64_t(tokens.size()); };
  const int64_t stop = size(phrases.stop), fact = name + size(phrases.fact) + 1 + stop;
  const int64_t link = 2 * name + size(phrases.link) + stop;
  return 1 + size(phrases.opening) + fillers + people * (fact + (hops == 2 ? link : 0)) + size(phrases.closing) +
         size(phrases.question) + name + size(phrases.answer) + 1;
}

std::vector<HopsTask::Name> HopsTask::drawNames(Random &random, size_t count) const {
  std::vector<Name> names;
  while (names.size() < count) {
    Name name = {uint32_t(random.below(phrases.first.size())), uint32_t(random.below(phrases.middle.size())),
                 uint32_t(random.below(phrases.last.size()))};
    if (std::ranges::find(names, name) == names.end())
      names.push_back(name);
  }
  return names;
}

static void appendTokens(std::vector<int32_t> &out, std::span<const int32_t> tokens) {
  out.insert(out.end(), tokens.begin(), tokens.end());
}

void HopsTask::appendName(const Name &name, std::vector<int32_t> &out) const {
  appendTokens(out, phrases.first[name[0]]);
  appendTokens(out, phrases.middle[name[1]]);
  appendTokens(out, phrases.last[name[2]]);
}

// The facts, then the links, in the order of the text.
std::vector<std::vector<int32_t>> HopsTask::makeSentences(Random &random, Name &asked, uint32_t &year) const {
  const size_t count = size_t(people);
  std::vector<Name> names = drawNames(random, count * size_t(hops));
  std::vector<uint32_t> years(phrases.years.size());
  std::iota(years.begin(), years.end(), 0);
  random.shuffle(std::span(years), count);
  std::vector<size_t> linked(count);
  std::iota(linked.begin(), linked.end(), 0);
  if (hops == 2)
    random.shuffle(std::span(linked));

  std::vector<std::vector<int32_t>> told;
  for (size_t i = 0; i < count; ++i) {
    std::vector<int32_t> &fact = told.emplace_back();
    appendName(names[i], fact);
    appendTokens(fact, phrases.fact);
    appendTokens(fact, phrases.years[years[i]]);
    appendTokens(fact, phrases.stop);
  }
  for (size_t i = 0; hops == 2 && i < count; ++i) {
    std::vector<int32_t> &link = told.emplace_back();
    appendName(names[count + i], link);
    appendTokens(link, phrases.link);
    appendName(names[linked[i]], link);
    appendTokens(link, phrases.stop);
  }
  const size_t question = askFirst ? 0 : random.below(count);
  asked = names[count * size_t(hops - 1) + question];
  year = years[linked[question]];
  return told;
}

// The sentences in their order, each at a random boundary of the filler.
std::vector<int32_t> HopsTask::hide(Random &random, const std::vector<std::vector<int32_t>> &told) const {
  const Sentences run = most ? filler->draw(random, most) : Sentences();
  std::vector<int64_t> places(told.size());
  for (int64_t &place : places)
    place = int64_t(random.below(run.ends.size() + 1));
  std::ranges::sort(places);
  std::vector<int32_t> text;
  int64_t from = 0;
  for (size_t i = 0; i < told.size(); ++i) {
    const int64_t to = places[i] ? run.ends[places[i] - 1] : 0;
    appendTokens(text, std::span(run.tokens).subspan(from, to - from));
    appendTokens(text, told[i]);
    from = to;
  }
  appendTokens(text, std::span(run.tokens).subspan(from));
  return text;
}

void HopsTask::append(Random &random, runtime::Stream, Row &row) const {
  Name asked{};
  uint32_t year = 0;
  const std::vector<std::vector<int32_t>> told = makeSentences(random, asked, year);
  std::vector<int32_t> text = phrases.opening;
  appendTokens(text, hide(random, told));
  appendTokens(text, phrases.closing);
  appendTokens(text, phrases.question);
  appendName(asked, text);
  appendTokens(text, phrases.answer);
  row.add(begin, countsAll);
  for (int32_t token : text)
    row.add(token, countsAll);
  const int64_t at = int64_t(row.tokens.size());
  row.add(phrases.years[year][0], true);
  row.answers.push_back({at, at + 1, 0});
}

std::vector<runtime::Score> HopsTask::conclude(std::vector<runtime::Score> totals, int64_t) const {
  totals.push_back(runtime::Score::value("floor", "%", 100 / double(people)));
  return totals;
}

std::string HopsTask::describeInstance(std::span<const int32_t> tokens) const {
  std::string text = words.join(tokens);
  return text.substr(text.empty() ? 0 : 1) + "\n";
}

} // namespace stretto::tasks
