// Hops: answers and filler text, read from the text alone.
#include "Support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

using namespace stretto;
using namespace stretto::tasks;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

// What a text tells, read with regular expressions: knows nothing of tokens.
struct Told {
  std::vector<std::pair<std::string, std::string>> facts, links; // name and year, name and name
  std::string asked, answer, rest; // rest: the text without facts, links, tags and question
  bool factsFirst = true;

  size_t indexOf(const std::string &name, const std::vector<std::pair<std::string, std::string>> &list) const {
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].first == name)
        return i;
    return list.size();
  }
  // The year of a person, by following links.
  std::string solve(std::string name) const {
    if (size_t i = indexOf(name, links); i < links.size())
      name = links[i].second;
    size_t i = indexOf(name, facts);
    return i < facts.size() ? facts[i].second : "";
  }
};

const std::string name = "([A-Z][a-z]+ [A-Z][a-z]+ [A-Z][a-z]+)";

std::optional<Told> readTold(std::string text) {
  static const std::regex frame(
      "^(?:Some people .* context\\. <context> )?(.*?)(?: </context>)? ?Question: In which year was " + name +
      " born\\? Answer: ([0-9]{4})$");
  static const std::regex sentence(name + " was born in the (year of ([0-9]{4})|same year as " + name + ")\\. ?");
  std::smatch match;
  if (!std::regex_match(text, match, frame))
    return std::nullopt;
  Told told;
  told.asked = match[2];
  told.answer = match[3];
  std::string body = match[1];
  for (std::sregex_iterator at(body.begin(), body.end(), sentence), end; at != end; ++at) {
    if ((*at)[3].matched) {
      told.factsFirst &= told.links.empty();
      told.facts.emplace_back((*at)[1], (*at)[3]);
    } else {
      told.links.emplace_back((*at)[1], (*at)[4]);
    }
  }
  told.rest = std::regex_replace(body, sentence, "");
  while (told.rest.ends_with(' '))
    told.rest.pop_back();
  return told;
}

// The whole instances of a row.
std::vector<Told> readRow(const Task &task, Batch &batch, int64_t row) {
  std::vector<Told> all;
  std::istringstream text(task.describe(batch.view(), row));
  for (std::string line; std::getline(text, line);)
    if (auto told = readTold(line))
      all.push_back(*told);
  return all;
}

std::vector<Told> readMany(const Task &task, int64_t rows, Stream stream = Stream::Train) {
  Batch batch(task, 3, stream, 0, rows);
  std::vector<Told> all;
  for (int64_t r = 0; r < rows; ++r) {
    std::vector<Told> row = readRow(task, batch, r);
    EXPECT_GE(row.size(), 1u);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

void expectUniform(const std::map<std::string, double> &counts, size_t size) {
  ASSERT_EQ(counts.size(), size);
  std::vector<double> observed;
  double total = 0;
  for (const auto &[what, count] : counts) {
    observed.push_back(count);
    total += count;
  }
  std::vector<double> expected(size, total / double(size));
  const double freedom = double(size) - 1;
  EXPECT_LT(chiSquare(observed, expected), freedom + 4.4 * std::sqrt(freedom) + 6);
}

} // namespace

TEST(Hops, answersFollowFromTheText) {
  for (const char *hops : {"1", "2"})
    for (const char *ask : {"any", "first"}) {
      auto task =
          makeTask("hops", {{"hops", hops}, {"people", "4"}, {"filler", "60"}, {"ask", ask}, {"length", "320"}});
      for (const Told &told : readMany(*task, 150)) {
        ASSERT_EQ(told.facts.size(), 4u);
        ASSERT_EQ(told.links.size(), *hops == '2' ? 4u : 0u);
        ASSERT_TRUE(told.factsFirst);
        ASSERT_EQ(told.solve(told.asked), told.answer);
        std::set<std::string> names, years, linked;
        for (const auto &[who, year] : told.facts)
          names.insert(who), years.insert(year);
        for (const auto &[who, other] : told.links)
          names.insert(who), linked.insert(other);
        EXPECT_EQ(names.size(), told.facts.size() + told.links.size());
        EXPECT_EQ(years.size(), 4u);
        EXPECT_GE(*years.begin(), "1950");
        EXPECT_LE(*years.rbegin(), "2009");
        EXPECT_EQ(linked.size(), told.links.size());
        EXPECT_EQ(told.rest.find("year"), std::string::npos);
        EXPECT_FALSE(told.rest.empty());
        if (std::string(ask) == "first") {
          EXPECT_EQ(told.asked, (*hops == '2' ? told.links : told.facts)[0].first);
        }
      }
    }
}

// Years, the place of the person asked for, links, and the boundaries are uniform.
TEST(Hops, choicesAreUniform) {
  auto task = makeTask("hops", {{"hops", "2"}, {"people", "3"}, {"filler", "0"}, {"length", "150"}});
  std::map<std::string, double> years, places, orders;
  for (const Told &told : readMany(*task, 6000)) {
    ++years[told.answer];
    ++places[std::to_string(told.indexOf(told.asked, told.links))];
    std::string order;
    for (const auto &[who, other] : told.links)
      order += std::to_string(told.indexOf(other, told.facts));
    ++orders[order];
    EXPECT_TRUE(told.rest.empty());
  }
  expectUniform(years, 60);
  expectUniform(places, 3);
  expectUniform(orders, 6);
}

// The built-in sentences open with a capital letter and end with a full stop.
TEST(Hops, fillerIsWrittenAsSentences) {
  const std::regex sentences("([A-Z][a-z]*( [a-z]+,?)+\\.( |$))*");
  auto task = makeTask("hops", {{"people", "1"}, {"filler", "200"}, {"length", "300"}});
  for (const Told &told : readMany(*task, 100))
    EXPECT_TRUE(std::regex_match(told.rest, sentences)) << told.rest;
}

// One fact among one sentence of filler stands before or after it.
TEST(Hops, factsStandAtAnyBoundary) {
  const std::string path = ::testing::TempDir() + "hops_boundary.txt";
  std::ofstream(path) << "A cat sat there.";
  auto task = makeTask("hops", {{"people", "2"}, {"filler", "5"}, {"file", path}, {"length", "80"}});
  std::map<std::string, double> places;
  Batch batch(*task, 3, Stream::Train, 0, 4000);
  for (int64_t r = 0; r < batch.batch; ++r) {
    std::string text = task->describe(batch.view(), r);
    text = text.substr(0, text.find("Question"));
    size_t cat = text.find("A cat"), first = text.find(" was born"), second = text.rfind(" was born");
    ++places[cat < first ? "before" : cat < second ? "between" : "after"];
  }
  std::filesystem::remove(path);
  // Two independent places out of two, sorted: both behind the sentence, one on each side, both before it.
  std::vector<double> observed = {places["before"], places["between"], places["after"]}, expected = {1000, 2000, 1000};
  EXPECT_LT(chiSquare(observed, expected), 2 + 4.4 * std::sqrt(2) + 6);
}

// The filler is a run of neighbouring sentences of the file, with room for no more.
TEST(Hops, textsComeFromTheFile) {
  const std::string path = ::testing::TempDir() + "hops_text.txt";
  std::ofstream(path) << "It was\n\n a \"cold night.\" Nobody spoke, e.g. about 3.5 things!  Why? Then (at last.) they "
                         "slept for a while and\tleft";
  const std::string whole = "It was a \"cold night.\" Nobody spoke, e.g. about 3.5 things! Why? Then (at last.) they "
                            "slept for a while and left";
  auto task = makeTask("hops", {{"people", "2"}, {"filler", "14"}, {"file", path}, {"length", "100"}});
  std::map<std::string, int> runs;
  for (const Told &told : readMany(*task, 400)) {
    EXPECT_NE(whole.find(told.rest), std::string::npos) << told.rest;
    ++runs[told.rest];
  }
  std::filesystem::remove(path);
  // 7, 7, 6, 2, 5 and 7 tokens; a dot before a space ends a sentence.
  std::set<std::string> seen;
  for (const auto &[run, count] : runs)
    seen.insert(run);
  EXPECT_EQ(seen, (std::set<std::string>{
                      "It was a \"cold night.\" Nobody spoke, e.g.", "Nobody spoke, e.g. about 3.5 things!",
                      "about 3.5 things! Why? Then (at last.)", "Why? Then (at last.) they slept for a while and left",
                      "Then (at last.) they slept for a while and left", "they slept for a while and left"}));
}

TEST(Hops, answersAreScored) {
  auto task = makeTask("hops", {{"people", "5"}, {"filler", "30"}, {"length", "200"}});
  const int64_t rows = 1500;
  Batch batch(*task, 3, Stream::Evaluation, 0, rows);
  std::vector<int32_t> predicted(batch.targets.size(), 0), firstYear = predicted;
  std::vector<double> nll(predicted.size(), 0.0);
  // An oracle answers where targets count; a guesser says the first year of the instance.
  auto isYear = [&](int64_t t) { return t > 0 && batch.mask[t - 1]; };
  std::set<int32_t> years;
  for (size_t t = 0; t < predicted.size(); ++t)
    if (batch.mask[t]) {
      predicted[t] = batch.targets[t];
      years.insert(batch.targets[t]);
    }
  ASSERT_EQ(years.size(), 60u);
  for (int64_t r = 0; r < rows; ++r) {
    int32_t year = 0;
    for (int64_t t = r * 200; t < (r + 1) * 200; ++t) {
      if (batch.positions[t] == 0)
        year = 0;
      if (!year && years.contains(batch.tokens[t]) && !isYear(t))
        year = batch.tokens[t];
      firstYear[t] = year;
    }
  }
  auto score = [&](const std::vector<int32_t> &said) {
    return task->conclude(task->score(3, 0, batch.view(), {said, nll}), 100);
  };
  auto perfect = score(predicted), guessed = score(firstYear);
  EXPECT_EQ(perfect[0].name, "accuracy");
  EXPECT_EQ(perfect[0].result(), 1);
  EXPECT_GE(perfect[0].count, rows);
  EXPECT_EQ(perfect.back().name, "floor");
  EXPECT_EQ(perfect.back().result(), 20);
  EXPECT_LE(guessed[0].interval().low, 0.2);
  EXPECT_GE(guessed[0].interval().high, 0.2);
  EXPECT_EQ(score(std::vector<int32_t>(predicted.size(), -1))[0].right(), 0);
}

TEST(Hops, promptsEndBeforeTheYearThatIsJudged) {
  auto task = makeTask("hops", {{"people", "5"}, {"filler", "30"}, {"length", "200"}});
  Batch batch(*task, 3, Stream::Evaluation, 0, 5);
  auto prompts = task->prompts(3, 0, 5);
  ASSERT_EQ(prompts.size(), 5u);
  std::vector<std::vector<int32_t>> answers;
  for (int64_t r = 0; r < 5; ++r) {
    EXPECT_EQ(prompts[r].most, 1);
    answers.push_back({batch.row(r)[prompts[r].tokens.size()]});
  }
  EXPECT_EQ(task->judge(3, 0, 5, answers)[0].right(), 5);
  answers[1][0] ^= 1;
  EXPECT_EQ(task->judge(3, 0, 5, answers)[0].right(), 4);
}

TEST(Hops, lossCountsTheYearOrAll) {
  Batch answers(*makeTask("hops", {{"length", "700"}}), 1, Stream::Train, 0, 4);
  Batch all(*makeTask("hops", {{"length", "700"}, {"loss", "all"}}), 1, Stream::Train, 0, 4);
  EXPECT_EQ(answers.tokens, all.tokens);
  EXPECT_EQ(std::ranges::count(all.mask, 1), 4 * 700);
  EXPECT_LT(std::ranges::count(answers.mask, 1), 12);
}

TEST(Hops, inputIsChecked) {
  auto error = [](const std::map<std::string, std::string> &settings) {
    return errorOf([&] { makeTask("hops", settings); });
  };
  const std::string path = ::testing::TempDir() + "hops_bad.txt";
  auto errorOfText = [&](const std::string &text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    std::string message = error({{"file", path}, {"filler", "3"}});
    size_t at = message.find(path);
    return at == std::string::npos ? message : message.erase(at, path.size()).insert(at, 1, 'F');
  };
  EXPECT_EQ(error({{"people", "61"}}), "task 'hops': parameter 'people' must lie in 1..60, but got 61");
  EXPECT_EQ(error({{"hops", "3"}}), "task 'hops': parameter 'hops' must lie in 1..2, but got 3");
  EXPECT_EQ(error({{"years", "4"}}),
            "task 'hops': parameter 'years' must be at least the number of 'people', 5, but got 4");
  EXPECT_EQ(error({{"names", "2"}, {"people", "9"}}),
            "task 'hops': parameter 'names' must be at least 3 for 9 different full names, but got 2");
  EXPECT_EQ(error({{"filler", "1"}}),
            "task 'hops': parameter 'filler' must be 0 or at least 6, the tokens of the shortest "
            "sentence, but got 1");
  EXPECT_EQ(error({{"length", "500"}}),
            "task 'hops': parameter 'length' must be at least 581 for the longest possible instance, of 582 tokens, to "
            "fit, but got 500");
  EXPECT_EQ(error({{"length", "581"}}), "");
  EXPECT_EQ(error({{"file", "/nowhere"}}), "cannot read '/nowhere': No such file or directory");
  EXPECT_EQ(errorOfText(""), "cannot read 'F': it is empty");
  EXPECT_EQ(errorOfText(" \n "), "text 'F' must hold words");
  EXPECT_EQ(errorOfText(std::string("a\0b", 3)), "F:1: a text must be written in UTF-8, but got the byte 0");
  EXPECT_EQ(errorOfText("one\ntwo caf\xe9."), "F:2: a text must be written in UTF-8, but got the byte 233");
  EXPECT_EQ(errorOfText("one two three four."),
            "task 'hops': parameter 'filler' must be 0 or at least 5, the tokens of "
            "the shortest sentence, but got 3");
  EXPECT_EQ(errorOfText("one two"), "");
  std::string many;
  for (int i = 0; i < 1 << 20; ++i)
    many += " w" + std::string(1, char('a' + i % 26)) + std::string(1, char('a' + i / 26 % 26)) +
            std::string(1, char('a' + i / 676 % 26)) + std::string(1, char('a' + i / 17576 % 26)) +
            std::string(1, char('a' + i / 456976));
  EXPECT_TRUE(errorOfText(many).starts_with("text 'F' must hold at most 1048576 different words, but got "));
  std::filesystem::remove(path);
}

TEST(Hops, filesHaveDigests) {
  const std::string path = ::testing::TempDir() + "hops_digest.txt";
  auto contents = [&](const std::string &text) {
    std::ofstream(path) << text;
    return contentsOf("hops", {{"file", path}});
  };
  const std::string digest = contents("A cat sat there.");
  EXPECT_TRUE(digest.starts_with("file "));
  EXPECT_EQ(contents("A cat sat there."), digest);
  EXPECT_NE(contents("A cat set there."), digest);
  EXPECT_EQ(contentsOf("hops", {}), "");
  std::filesystem::remove(path);
}

// Texts of any bytes are refused or make rows.
TEST(Hops, anyTextIsReadOrRefused) {
  const std::string path = ::testing::TempDir() + "hops_any.txt";
  int taken = 0;
  for (uint64_t sample = 0; sample < 60; ++sample) {
    Random random(2, 0, sample);
    std::string text(1 + random.below(200), 0);
    const std::string signs = "ab .!?\"')\n\t0";
    for (char &c : text)
      c = random.below(8) ? signs[random.below(signs.size())] : char(1 + random.below(sample % 10 ? 127 : 255));
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    taken += errorOf([&] {
               auto task = makeTask(
                   "hops", {{"people", "2"}, {"filler", "40"}, {"file", path}, {"length", "120"}, {"names", "3"}});
               Batch batch(*task, 1, Stream::Train, 0, 5);
               EXPECT_FALSE(task->describe(batch.view(), 0).empty());
             }).empty();
  }
  EXPECT_GT(taken, 40);
  std::filesystem::remove(path);
}
