// Capo's scores against facts found in the text and against closed forms.
#include "CapoReader.h"
#include "Support.h"
#include "tasks/capo/capo.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;
using namespace stretto::test;

namespace {

// All people of a small world, and where their facts stand: found by reading the text.
class CapoScore : public ::testing::Test {
protected:
  static constexpr int64_t people = 60;
  CapoTask task{Parameters("capo", CapoTask::parameterInfos(), {{"n", "60"}, {"length", "300"}})};
  Lists lists = readLists("");
  int64_t rows = (people + task.peopleInRow() - 1) / task.peopleInRow();
  Batch batch{task, 4, Stream::Evaluation, 0, rows};
  std::vector<double> nll = std::vector<double>(rows * 300, 0.0);
  std::vector<int32_t> predicted = batch.targets;

  // Calls visit(fact, places of its targets in the batch) for each fact of each person.
  template <typename F> void visitFacts(F visit) {
    CapoReader reader(lists);
    int64_t seen = 0;
    for (int64_t r = 0; r < rows; ++r) {
      std::vector<int32_t> row = batch.row(r);
      const int64_t end = std::min(people, seen + task.peopleInRow());
      for (size_t from = 0; seen < end; ++seen) {
        size_t to = std::find(row.begin() + from + 1, row.end(), 0) - row.begin();
        ASSERT_TRUE(visitPerson(reader, std::span(row).subspan(from, to - from), r * 300 + int64_t(from), visit));
        from = to;
      }
    }
    ASSERT_EQ(seen, people);
  }

  double scoreOf(const std::string &name, int64_t weights = 1000) {
    auto scores = task.conclude(task.score(4, 0, batch.view(), {predicted, nll}), weights);
    auto found = std::ranges::find(scores, name, &Score::name);
    EXPECT_NE(found, scores.end()) << name;
    return found->result();
  }

private:
  template <typename F>
  bool visitPerson(const CapoReader &reader, std::span<const int32_t> tokens, int64_t at, F visit) {
    const Vocabulary &words = task.biographies().vocabulary();
    std::string text = words.join(tokens);
    auto person = reader.read(text.substr(1));
    if (!person)
      return false;
    // Tokens that overlap a told text, as targets: the token at `at + i` is the target at the place before.
    auto tell = [&](Fact fact, const Told &told) {
      std::vector<int64_t> places;
      size_t offset = 0;
      for (size_t i = 1; i < tokens.size(); ++i) {
        size_t end = offset + words.text(tokens[i]).size();
        if (offset < told.at + 1 + told.text.size() && end > told.at + 1)
          places.push_back(at + int64_t(i) - 1);
        offset = end;
      }
      visit(fact, places);
    };
    tell(Fact::Name, person->name);
    tell(Fact::Pronoun, person->pronoun);
    tell(Fact::BirthDate, person->date);
    tell(Fact::BirthCity, person->city);
    tell(Fact::University, person->university);
    tell(Fact::Major, person->major);
    tell(Fact::Employer, person->employer);
    tell(Fact::Employer, person->workCity);
    return true;
  }
};

const double bitsOfPerson = 1 + std::log2(67200.0) + std::log2(200) + std::log2(300) + std::log2(100) + std::log2(263);

} // namespace

// The sum of section 6: log2 S0 = 47.59.
TEST_F(CapoScore, closedForms) {
  EXPECT_NEAR(bitsOfPerson, 47.59, 0.005);
  const double most = 60 * (std::log2(160e6 / 60) + bitsOfPerson);
  EXPECT_NEAR(scoreOf("most_bits"), most, 1e-6);
  EXPECT_NEAR(scoreOf("most_bits_per_parameter", 500), most / 500, 1e-9);
}

// A perfect model knows the facts, and of the name only that it is one of the people.
TEST_F(CapoScore, perfectModelLearnsTheMost) {
  visitFacts([&](Fact fact, const std::vector<int64_t> &places) {
    if (fact == Fact::Name)
      nll[places[0]] = std::log(60.0);
  });
  EXPECT_NEAR(scoreOf("bits_per_parameter"), scoreOf("most_bits_per_parameter"), 1e-9);
  EXPECT_NEAR(scoreOf("bits"), scoreOf("most_bits"), 1e-6);
  EXPECT_NEAR(scoreOf("nll/name"), std::log(60), 1e-12);
  EXPECT_EQ(scoreOf("nll/values"), 0);
  EXPECT_EQ(scoreOf("accuracy/major"), 1);
  EXPECT_EQ(task.conclude(task.score(4, 0, batch.view(), {predicted, nll}), 10)[0].name, "bits_per_parameter");
}

// A model that knows how people are made, but none of them, has learned nothing; each fact alone, and a uniform guess
// over all tokens is worse than nothing.
TEST_F(CapoScore, guessersLearnNothing) {
  const std::map<Fact, double> choices = {{Fact::Name, 160e6},    {Fact::Pronoun, 2},      {Fact::BirthDate, 67200},
                                          {Fact::BirthCity, 200}, {Fact::University, 300}, {Fact::Major, 100},
                                          {Fact::Employer, 263}};
  int64_t employers = 0;
  visitFacts([&](Fact fact, const std::vector<int64_t> &places) {
    // The work city follows the employer and is known then.
    if (fact == Fact::Employer && employers++ % 2)
      return;
    for (int64_t place : places)
      nll[place] = std::log(choices.at(fact)) / double(places.size());
  });
  EXPECT_NEAR(scoreOf("bits"), 0, 1e-6);
  EXPECT_NEAR(scoreOf("bits_per_parameter"), 0, 1e-9);
  for (const char *fact : factNames)
    EXPECT_NEAR(scoreOf(std::string("bits/") + fact), 0, 1e-9) << fact;
  std::ranges::fill(nll, std::log(double(task.vocabulary())));
  EXPECT_LT(scoreOf("bits"), -60);
}

// What is known of one fact counts there alone.
TEST_F(CapoScore, factsAreSeparate) {
  const double bits[factCount] = {std::log2(160e6), 1, std::log2(67200), std::log2(200), std::log2(300), std::log2(100),
                                  std::log2(263)};
  for (size_t known = 0; known < factCount; ++known) {
    std::ranges::fill(nll, 5.0);
    predicted.assign(predicted.size(), -1);
    visitFacts([&](Fact fact, const std::vector<int64_t> &places) {
      for (int64_t place : places)
        if (fact == Fact(known))
          nll[place] = 0, predicted[place] = batch.targets[place];
    });
    for (size_t fact = 0; fact < factCount; ++fact) {
      EXPECT_EQ(std::abs(scoreOf(std::string("bits/") + factNames[fact]) - bits[fact]) < 1e-9, fact == known);
      EXPECT_EQ(scoreOf(std::string("accuracy/") + factNames[fact]), fact == known);
    }
  }
}

// Parts of an evaluation add up to the whole, and people are asked about once.
TEST_F(CapoScore, partsAddUp) {
  for (size_t i = 0; i < nll.size(); ++i)
    nll[i] = double(i % 7);
  auto whole = task.score(4, 0, batch.view(), {predicted, nll});
  EXPECT_EQ(whole[0].count, people);
  auto parts = task.score(4, 0, batch.rows(0, 1), {std::span(predicted).first(300), std::span(nll).first(300)});
  auto rest = task.score(4, 1, batch.rows(1, rows), {std::span(predicted).subspan(300), std::span(nll).subspan(300)});
  for (size_t i = 0; i < whole.size(); ++i) {
    parts[i].merge(rest[i]);
    EXPECT_EQ(parts[i].count, whole[i].count);
    EXPECT_NEAR(parts[i].sum, whole[i].sum, 1e-9);
  }
  // The interval of the bits is that of the mean, scaled.
  auto concluded = task.conclude(whole, 1000);
  EXPECT_NEAR(concluded[0].interval().high - concluded[0].result(),
              (whole[0].interval().high - whole[0].result()) / std::log(2) * 60 / 1000, 1e-9);
}

// Without weights or people there is nothing to divide by.
TEST_F(CapoScore, concludesNothingFromNothing) {
  EXPECT_EQ(task.conclude({}, 10).size(), 0u);
  EXPECT_EQ(task.conclude(task.score(4, 0, batch.view(), {predicted, nll}), 0)[0].name, "bits");
}
