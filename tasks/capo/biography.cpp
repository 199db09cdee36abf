// The text of Capo: six sentences about a person, as tokens.
#include "tasks/capo/biography.h"

#include <algorithm>

namespace stretto::tasks {

static constexpr std::array<Sentence, sentenceCount> employerFirst = {Sentence::BirthDate,  Sentence::BirthCity,
                                                                      Sentence::University, Sentence::Major,
                                                                      Sentence::Employer,   Sentence::WorkCity};

static constexpr const char *monthNames[birthMonths] = {"January",   "February", "March",    "April",
                                                        "May",       "June",     "July",     "August",
                                                        "September", "October",  "November", "December"};

// Slots from He on, as he and as she.
static constexpr const char *pronounTexts[][2] = {{"He", "She"},  {"he", "she"},  {"His", "Her"},        {"his", "her"},
                                                  {"Him", "Her"}, {"him", "her"}, {"himself", "herself"}};

Biographies::Biographies(const Lists &lists, bool cityFirst, std::shared_ptr<const Bpe> bpe)
    : words(begin + 1, std::move(bpe)), headquarters(lists.headquarters), order(employerFirst) {
  if (cityFirst)
    std::swap(order[4], order[5]);
  encodeLists(lists);
  compile(lists);
  measure();
}

void Biographies::encodeLists(const Lists &lists) {
  auto add = [&](TokenTable &table, const std::string &text) { table.add(words.encode(" " + text)); };
  auto encode = [&](TokenTable &table, const std::vector<std::string> &texts) {
    for (const std::string &text : texts)
      add(table, text);
  };
  comma = words.encode(",");
  for (const char *month : monthNames)
    add(months, month);
  for (uint32_t day = 1; day <= birthDays; ++day)
    add(days, std::to_string(day));
  for (uint32_t year = 0; year < birthYears; ++year)
    add(years, std::to_string(firstBirthYear + year));
  for (const auto &[he, she] : pronounTexts) {
    add(pronouns, he);
    add(pronouns, she);
  }
  encode(first, lists.first);
  encode(middle, lists.middle);
  encode(last, lists.last);
  encode(cities, lists.cities);
  encode(universities, lists.universities);
  encode(majors, lists.majors);
  encode(employers, lists.employers);
  encode(workCities, lists.workCities);
}

void Biographies::compile(const Lists &lists) {
  for (size_t s = 0; s < sentenceCount; ++s)
    for (const Template &sentence : lists.templates[s]) {
      Compiled compiled;
      for (const Template::Part &part : sentence.parts) {
        compiled.parts.push_back({!part.text.empty(), part.slot, uint32_t(literals.size())});
        if (!part.text.empty())
          literals.add(words.encode(part.text));
        for (bool she : {false, true})
          if (!part.text.empty())
            compiled.fixed[she] += int64_t(literals[literals.size() - 1].size());
          else if (part.slot >= Slot::He)
            compiled.fixed[she] += int64_t(pronoun(part.slot, she).size());
      }
      templates[s].push_back(std::move(compiled));
    }
}

namespace {
// Lengths that are equally likely.
struct Lengths {
  int64_t least = INT64_MAX, most = 0;
  double sum = 0, squares = 0, count = 0;
  size_t shortest = 0; // the index of the first of the least

  void add(int64_t length) {
    if (length < least)
      shortest = size_t(count);
    least = std::min(least, length);
    most = std::max(most, length);
    sum += double(length);
    squares += double(length) * double(length);
    ++count;
  }
  double mean() const { return sum / count; }
  double variance() const { return squares / count - mean() * mean(); }
};
} // namespace

// The length is a sum of independent parts.
void Biographies::measure() {
  const int64_t constant = 1 + int64_t(comma.size()); // the token that opens, and a comma in the date
  longestValues = shortestValues = constant;
  meanLength = double(constant);
  auto addValues = [&](const Lengths &lengths) {
    longestValues += lengths.most;
    shortestValues += lengths.least;
    meanLength += lengths.mean();
    lengthVariance += lengths.variance();
  };
  for (const TokenTable *table : {&months, &days, &years, &first, &middle, &last, &cities, &universities, &majors}) {
    Lengths lengths;
    for (size_t i = 0; i < table->size(); ++i)
      lengths.add(int64_t((*table)[i].size()));
    addValues(lengths);
  }
  Lengths work;
  for (size_t i = 0; i < employers.size(); ++i)
    work.add(int64_t(employers[i].size() + workCities[headquarters[i]].size()));
  addValues(work);
  for (size_t s = 0; s < sentenceCount; ++s) {
    Lengths lengths;
    for (const Compiled &compiled : templates[s])
      for (int64_t length : compiled.fixed)
        lengths.add(length);
    longestTemplates += lengths.most;
    shortestTemplates += lengths.least;
    meanLength += lengths.mean();
    lengthVariance += lengths.variance();
    shortestChoice[s] = uint32_t(lengths.shortest / 2);
  }
}

Choice Biographies::choose(Random &random) const {
  Choice choice;
  for (size_t s = 0; s < sentenceCount; ++s)
    choice[s] = uint32_t(random.below(templates[s].size()));
  return choice;
}

int64_t Biographies::valueLength(const Person &person) const {
  return int64_t(1 + first[person.first].size() + middle[person.middle].size() + last[person.last].size() +
                 months[person.month].size() + days[person.day].size() + comma.size() + years[person.year].size() +
                 cities[person.city].size() + universities[person.university].size() + majors[person.major].size() +
                 employers[person.employer].size() + workCities[headquarters[person.employer]].size());
}

int64_t Biographies::length(const Person &person, const Choice &choice) const {
  int64_t length = valueLength(person);
  for (size_t s = 0; s < sentenceCount; ++s)
    length += templates[s][choice[s]].fixed[person.she];
  return length;
}

std::span<const int32_t> Biographies::pronoun(Slot slot, bool she) const {
  return pronouns[2 * (size_t(slot) - size_t(Slot::He)) + she];
}

void Biographies::appendTokens(std::span<const int32_t> tokens, bool counts, Row &row) const {
  row.tokens.insert(row.tokens.end(), tokens.begin(), tokens.end());
  row.counted.insert(row.counted.end(), tokens.size(), counts);
}

void Biographies::appendSlot(Slot slot, const Person &person, bool counts, Row &row, bool &pronounTold) const {
  const int64_t from = int64_t(row.tokens.size());
  auto add = [&](std::span<const int32_t> tokens) { appendTokens(tokens, counts, row); };
  Fact fact = Fact::Pronoun;
  switch (slot) {
  case Slot::Name:
    add(first[person.first]), add(middle[person.middle]), add(last[person.last]);
    fact = Fact::Name;
    break;
  case Slot::Date:
    add(months[person.month]), add(days[person.day]), add(comma), add(years[person.year]);
    fact = Fact::BirthDate;
    break;
  case Slot::City:
    add(cities[person.city]);
    fact = Fact::BirthCity;
    break;
  case Slot::University:
    add(universities[person.university]);
    fact = Fact::University;
    break;
  case Slot::Major:
    add(majors[person.major]);
    fact = Fact::Major;
    break;
  case Slot::Employer:
    add(employers[person.employer]);
    fact = Fact::Employer;
    break;
  case Slot::WorkCity:
    add(workCities[headquarters[person.employer]]);
    fact = Fact::Employer;
    break;
  default:
    add(pronoun(slot, person.she));
    if (pronounTold)
      return;
    pronounTold = true;
  }
  row.answers.push_back({from, int64_t(row.tokens.size()), int64_t(fact)});
}

void Biographies::append(const Person &person, const Choice &choice, bool counts, Row &row) const {
  row.add(begin, counts);
  bool pronounTold = false;
  for (Sentence sentence : order)
    for (const Part &part : templates[size_t(sentence)][choice[size_t(sentence)]].parts)
      part.literal ? appendTokens(literals[part.tokens], counts, row)
                   : appendSlot(part.slot, person, counts, row, pronounTold);
}

} // namespace stretto::tasks
