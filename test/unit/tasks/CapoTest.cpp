// Capo's people and biographies.
#include "tasks/capo/capo.h"
#include "CapoReader.h"
#include "Support.h"
#include "tasks/recipes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <sstream>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;
using namespace stretto::test;

static CapoTask makeCapo(const std::map<std::string, std::string> &settings) {
  return CapoTask(Parameters("capo", CapoTask::parameterInfos(), settings));
}

// The biographies that a row shows; the last one is cut.
static std::vector<std::string> textsOf(const Task &task, Batch &batch, int64_t row) {
  std::vector<std::string> lines;
  std::istringstream text(task.describe(batch.view(), row));
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  return lines;
}

TEST(Capo, listsHaveThePublishedSizes) {
  Lists lists = readLists("");
  EXPECT_EQ(lists.first.size(), 400u);
  EXPECT_EQ(lists.middle.size(), 400u);
  EXPECT_EQ(lists.last.size(), 1000u);
  EXPECT_EQ(lists.cities.size(), 200u);
  EXPECT_EQ(lists.workCities, lists.cities);
  EXPECT_EQ(lists.universities.size(), 300u);
  EXPECT_EQ(lists.majors.size(), 100u);
  EXPECT_EQ(lists.employers.size(), 263u);
  EXPECT_EQ(std::set(lists.headquarters.begin(), lists.headquarters.end()).size(), 133u);
  const size_t counts[sentenceCount] = {46, 49, 49, 52, 47, 48};
  for (size_t s = 0; s < sentenceCount; ++s)
    EXPECT_EQ(lists.templates[s].size(), counts[s]);
  EXPECT_NEAR(makeCapo({}).bitsOf(Fact::Name), std::log2(160e6), 1e-12);
}

// Where a value stands, no template goes on with anything else, so a model that knows the person is certain of it.
TEST(Capo, templatesTellWhereValuesStand) {
  Lists lists = readLists("");
  for (const std::vector<Template> &sentences : lists.templates)
    for (const Template &a : sentences) {
      std::string line = written(a);
      size_t slot = line.find_first_of('{', 1);
      while (line.substr(slot).starts_with("{h"))
        slot = line.find('{', slot + 1);
      for (const Template &b : sentences)
        EXPECT_TRUE(!written(b).starts_with(line.substr(0, slot)) || written(b)[slot] == '{')
            << line << " and " << written(b);
      EXPECT_TRUE(line.starts_with(&sentences == &lists.templates[0] ? "{name}" : "{He} ")) << line;
    }
}

// Nor is a value the beginning of another one, so the chances of all values sum to one.
TEST(Capo, noValueBeginsAnother) {
  Lists lists = readLists("");
  for (const auto *list :
       {&lists.first, &lists.middle, &lists.last, &lists.cities, &lists.universities, &lists.majors, &lists.employers})
    for (const std::string &a : *list)
      for (const std::string &b : *list)
        ASSERT_TRUE(&a == &b || !(b + " ").starts_with(a + " ")) << a << " and " << b;
}

TEST(Capo, namesAreUnique) {
  Lists lists = readLists("");
  People people(lists, lists.names(), 7);
  std::vector<std::array<uint32_t, 3>> seen;
  for (uint64_t i = 0; i < 100000; ++i) {
    Person person = people[i];
    seen.push_back({person.first, person.middle, person.last});
    ASSERT_EQ(person.she, i % 2 == 1);
  }
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
}

// Each attribute is uniform, and birth city and major are independent.
TEST(Capo, attributesAreUniform) {
  Lists lists = readLists("");
  const uint64_t count = 60000;
  People people(lists, count, 3);
  std::map<std::string, std::vector<double>> observed;
  auto see = [&](const std::string &what, size_t size, uint32_t value) {
    observed[what].resize(size);
    ASSERT_LT(value, size);
    ++observed[what][value];
  };
  for (uint64_t i = 0; i < count; ++i) {
    Person p = people[i];
    see("first", 400, p.first), see("middle", 400, p.middle), see("last", 1000, p.last);
    see("day", 28, p.day), see("month", 12, p.month), see("year", 200, p.year);
    see("city", 200, p.city), see("university", 300, p.university), see("major", 100, p.major);
    see("employer", 263, p.employer), see("city and major", 400, p.city % 20 * 20 + p.major % 20);
    see("city and pronoun", 400, p.city * 2 + p.she);
  }
  for (const auto &[what, counts] : observed) {
    std::vector<double> expected(counts.size(), double(count) / double(counts.size()));
    const double freedom = double(counts.size()) - 1;
    EXPECT_LT(chiSquare(counts, expected), freedom + 4.4 * std::sqrt(freedom) + 6) << what;
  }
}

// Every biography can be read back; what it tells of a person never changes, its words do; all templates are equally
// frequent.
TEST(Capo, biographiesTellTheSameOfAPerson) {
  for (bool cityFirst : {false, true}) {
    CapoTask task = makeCapo({{"n", "300"}, {"exposures", "10"}, {"order", cityFirst ? "city" : "employer"}});
    Lists lists = readLists("");
    CapoReader reader(lists);
    std::map<std::string, std::string> told;
    std::array<std::vector<double>, sentenceCount> templates;
    for (size_t s = 0; s < sentenceCount; ++s)
      templates[s].resize(lists.templates[s].size());
    Batch batch(task, 5, Stream::Train, 0, task.trainingRows());
    for (int64_t r = 0; r + 1 < batch.batch; ++r) {
      std::vector<std::string> texts = textsOf(task, batch, r);
      ASSERT_GT(int64_t(texts.size()), task.peopleInRow());
      for (int64_t i = 0; i < task.peopleInRow(); ++i) {
        auto person = reader.read(texts[i], cityFirst);
        ASSERT_TRUE(person) << texts[i];
        std::string facts = person->date.text + person->city.text + person->university.text + person->major.text +
                            person->employer.text + person->workCity.text + person->pronoun.text;
        EXPECT_EQ(told.try_emplace(person->name.text, facts).first->second, facts);
        size_t employer = std::ranges::find(lists.employers, person->employer.text) - lists.employers.begin();
        EXPECT_EQ(person->workCity.text, lists.workCities[lists.headquarters[employer]]);
        for (size_t s = 0; s < sentenceCount; ++s)
          ++templates[s][person->templates[s]];
      }
    }
    EXPECT_EQ(told.size(), 300u);
    for (const std::vector<double> &counts : templates) {
      double total = 0, freedom = double(counts.size()) - 1;
      for (double count : counts)
        total += count;
      std::vector<double> expected(counts.size(), total / double(counts.size()));
      EXPECT_LT(chiSquare(counts, expected), freedom + 4.4 * std::sqrt(freedom) + 6);
    }
  }
}

// Each person exactly `exposures` times, once in each pass, in orders that differ; then the same rows again.
TEST(Capo, everyoneIsReadEquallyOften) {
  CapoTask task = makeCapo({{"n", "50"}, {"exposures", "3"}, {"length", "256"}});
  Lists lists = readLists("");
  CapoReader reader(lists);
  const int64_t rows = task.trainingRows();
  Batch batch(task, 9, Stream::Train, 0, 2 * rows);
  std::vector<std::string> names, cut;
  for (int64_t r = 0; r < rows; ++r) {
    std::vector<std::string> texts = textsOf(task, batch, r);
    for (const std::string &text : texts)
      if (auto person = reader.read(text);
          person && int64_t(names.size()) < std::min((r + 1) * task.peopleInRow(), int64_t{150}))
        names.push_back(person->name.text);
    EXPECT_EQ(batch.row(r), batch.row(r + rows));
  }
  ASSERT_EQ(names.size(), 150u);
  for (int pass = 0; pass < 3; ++pass)
    EXPECT_EQ(std::set(names.begin() + 50 * pass, names.begin() + 50 * (pass + 1)).size(), 50u);
  EXPECT_FALSE(std::equal(names.begin(), names.begin() + 50, names.begin() + 50));
  // Another seed draws another order of the same people.
  Batch other(task, 10, Stream::Train, 0, 1);
  EXPECT_NE(other.row(0), batch.row(0));
  std::string first = textsOf(task, other, 0)[0];
  EXPECT_TRUE(std::ranges::find(names, reader.read(first)->name.text) != names.end());
}

// The loss counts whole people, every token of them, and nothing of the one that is cut.
TEST(Capo, wholePeopleCount) {
  CapoTask task = makeCapo({{"n", "1000"}, {"length", "300"}});
  Batch batch(task, 9, Stream::Train, 0, 400);
  EXPECT_EQ(task.vocabulary(), task.biographies().vocabulary().size());
  for (int64_t r = 0; r < batch.batch; ++r) {
    std::vector<int32_t> row = batch.row(r);
    int64_t people = 0;
    for (size_t t = 0; t < row.size(); ++t) {
      people += row[t] == 0;
      ASSERT_LT(row[t], task.vocabulary());
      if (t > 0) {
        ASSERT_EQ(batch.mask[r * 300 + int64_t(t) - 1], people <= task.peopleInRow());
      }
      if (t < 300) {
        ASSERT_EQ(batch.positions[r * 300 + int64_t(t)] == 0, row[t] == 0);
      }
    }
    ASSERT_GE(people, task.peopleInRow());
  }
}

// Rows are short of room now and then: then templates are drawn again, and in the worst case the shortest are taken.
// Templates that fill a row to its end are not drawn again.
TEST(Capo, tightRowsHoldTheirPeople) {
  int64_t full = 0;
  for (int64_t length = makeCapo({}).biographies().longest() - 1; length < 150; length += 3) {
    CapoTask task = makeCapo({{"n", "100"}, {"exposures", "30"}, {"length", std::to_string(length)}});
    for (uint64_t sample = 0; sample < 300; ++sample) {
      Row row = task.makeRow(1, Stream::Train, sample);
      ASSERT_EQ(int64_t(row.tokens.size()), length + 1);
      ASSERT_EQ(std::ranges::count(row.answers, int64_t(Fact::Name), &Answer::group), task.peopleInRow());
      ASSERT_LE(row.answers.back().end, length);
      full += std::ranges::count(row.tokens, Biographies::begin) == task.peopleInRow();
    }
  }
  EXPECT_GT(full, 0);
}

TEST(Capo, lengthsAreAsComputed) {
  CapoTask task = makeCapo({{"n", "100000"}});
  const Biographies &texts = task.biographies();
  double sum = 0, squares = 0, count = 40000;
  Random random(1, 0, 0);
  for (uint64_t i = 0; i < uint64_t(count); ++i) {
    Person person = task.allPeople()[i];
    Choice choice = texts.choose(random);
    Row row;
    texts.append(person, choice, true, row);
    double length = double(row.tokens.size());
    ASSERT_EQ(int64_t(row.tokens.size()), texts.length(person, choice));
    ASSERT_LE(length, double(texts.longest()));
    ASSERT_LE(texts.length(person, texts.shortest()), texts.longestAtShortest());
    sum += length;
    squares += length * length;
  }
  EXPECT_NEAR(sum / count, texts.mean(), 5 * std::sqrt(texts.variance() / count));
  EXPECT_NEAR(squares / count - sum / count * sum / count, texts.variance(), 0.04 * texts.variance());
}

TEST(Capo, parametersAreChecked) {
  auto error = [](const std::map<std::string, std::string> &settings) {
    return errorOf([&] { makeTask("capo", settings); });
  };
  EXPECT_EQ(error({{"n", "160000001"}}),
            "task 'capo': parameter 'n' must be at most 160000000, the number of full names of "
            "the lists, but got 160000001");
  EXPECT_EQ(error({{"n", "160000000"}}), "");
  EXPECT_EQ(error({{"exposures", "1"}}), "");
  const int64_t tokens = makeCapo({}).biographies().longest();
  const std::string longest = std::to_string(tokens - 1);
  EXPECT_EQ(error({{"length", "20"}}), "task 'capo': parameter 'length' must be at least " + longest +
                                           " for the longest biography, of " + std::to_string(tokens) +
                                           " tokens, to fit, but got 20");
  EXPECT_EQ(error({{"length", longest}}), "");
  EXPECT_EQ(error({{"order", "cities"}}), "task 'capo': parameter 'order' must be employer|city, but got 'cities'");
  EXPECT_EQ(error({{"lists", "/nowhere"}}), "cannot read '/nowhere/cities.txt': No such file or directory");
}

// A run of a preset's steps reads everyone as often as the task says.
TEST(Capo, presetsReadEveryoneHundredTimes) {
  for (const Preset &preset : presetsOf("capo")) {
    CapoTask task = makeCapo(preset.settings);
    int64_t steps = (task.trainingRows() + preset.recipe.batch - 1) / preset.recipe.batch;
    EXPECT_EQ(preset.recipe.steps, steps) << preset.name;
    EXPECT_EQ(preset.recipe.weight_decay, 0.01);
  }
  EXPECT_EQ(findPreset("capo", "N=2M").learningRates, (std::vector<double>{5e-4, 3e-4}));
  EXPECT_EQ(findPreset("capo", "N=100k").recipe.batch, 24);
}
