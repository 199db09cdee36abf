// Lists of Capo from a directory, valid and not.
#include "CapoReader.h"
#include "Support.h"
#include "tasks/capo/capo.h"
#include "tasks/capo/embedded_lists.h"
#include "tasks/capo/lists.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;
using namespace stretto::test;

namespace {

// A directory of lists, as the built-in ones until a file is replaced.
class CapoLists : public ::testing::Test {
protected:
  void SetUp() override {
    directory = ::testing::TempDir() + "lists_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(directory);
    for (const EmbeddedList &list : embeddedLists)
      write(std::string(list.name), std::string(list.text));
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  void write(const std::string &name, const std::string &text) {
    std::ofstream(directory + "/" + name + ".txt", std::ios::binary) << text;
  }
  CapoTask make(const std::string &people = "200") const {
    return CapoTask(Parameters("capo", CapoTask::parameterInfos(), {{"lists", directory}, {"n", people}}));
  }
  // The error of the directory with one file replaced, without the directory's name; the file is put back.
  std::string errorWith(const std::string &name, const std::string &text) {
    write(name, text);
    std::string error = errorOf([&] { readLists(directory); });
    for (const EmbeddedList &list : embeddedLists)
      if (list.name == name)
        write(name, std::string(list.text));
    for (size_t at; (at = error.find(directory + "/")) != std::string::npos;)
      error.erase(at, directory.size() + 1);
    return error;
  }

  std::string directory;
};

} // namespace

// A person ends where the next biography opens, whatever it tells first.
TEST_F(CapoLists, namesNeedNotComeFirst) {
  write("sentences_birth_date", "On {date}, {name} was born.\n{He} came on {date} as {name}.");
  const CapoTask task = make("40");
  const int64_t rows = *task.evaluationRows();
  Batch batch(task, 3, Stream::Evaluation, 0, rows);
  const auto scores = task.score(3, 0, batch.view(), {batch.targets, std::vector<double>(batch.targets.size(), 1.0)});
  for (const auto &[name, tokens] : {std::pair("nll/name", 3), {"nll/birth_date", 4}}) {
    const auto score = std::ranges::find(scores, name, &Score::name);
    EXPECT_EQ(score->count, 40) << name;
    EXPECT_EQ(score->result(), tokens) << name;
  }
}

// Sentences need not have a pronoun. One that no sentence of a biography has counts as not known, and is not scored.
TEST_F(CapoLists, pronounsNeedNotBeTold) {
  for (const auto &[list, place] : {std::pair("birth_city", "city"), {"university", "university"}, {"major", "major"}})
    write(std::string("sentences_") + list, std::string("From there: {") + place + "}.");
  write("sentences_employer", "Paid by {employer}.");
  for (const bool some : {false, true}) {
    write("sentences_work_city", std::string("Now in {work_city}.") + (some ? "\n{He} is in {work_city}." : ""));
    const CapoTask task = make("40");
    Batch batch(task, 3, Stream::Evaluation, 0, *task.evaluationRows());
    std::vector<Score> scores =
        task.score(3, 0, batch.view(), {batch.targets, std::vector<double>(batch.targets.size(), 0.0)});
    auto find = [&](const std::string &name) { return *std::ranges::find(scores, name, &Score::name); };
    const int64_t told = find("nll/pronoun").count;
    EXPECT_EQ(told > 0, some);
    EXPECT_LT(told, 40);
    EXPECT_EQ(find("accuracy/pronoun").count, told);
    EXPECT_EQ(find("nll/major").count, 40);
    EXPECT_NEAR(find("nll/values").sum, double(40 - told) * std::log(2.0), 1e-12);
    EXPECT_NEAR(find("nll").sum, double(40 - told) * std::log(2.0), 1e-12);
  }
}

TEST_F(CapoLists, directoriesReplaceTheBuiltInOnes) {
  Lists lists = readLists(directory);
  EXPECT_EQ(lists.cities, readLists("").cities);
  write("cities", "Metropolis\nGotham");
  write("employers", "Planet | Metropolis\r\nWayne | Gotham\r\n");
  lists = readLists(directory);
  EXPECT_EQ(lists.cities, (std::vector<std::string>{"Metropolis", "Gotham"}));
  EXPECT_EQ(lists.headquarters, (std::vector<uint32_t>{0, 1}));
  auto task = makeTask("capo", {{"lists", directory}});
  EXPECT_LT(task->vocabulary(), makeTask("capo", {})->vocabulary());
}

// Also where lines move from one file to the next.
TEST_F(CapoLists, theFilesHaveADigest) {
  auto contents = [&] { return contentsOf("capo", {{"lists", directory}, {"n", "2"}}); };
  write("first", "Ann\nBob\n");
  write("last", "Hill\n");
  const std::string digest = contents();
  EXPECT_TRUE(digest.starts_with("lists "));
  EXPECT_EQ(contents(), digest);
  write("last", "Hall\n");
  EXPECT_NE(contents(), digest);
  write("first", "Ann\n");
  write("last", "Bob\nHill\n");
  EXPECT_NE(contents(), digest);
  EXPECT_EQ(contentsOf("capo", {}), "");
}

TEST_F(CapoLists, linesAreChecked) {
  EXPECT_EQ(errorWith("first", ""), "cannot read 'first.txt': it is empty");
  EXPECT_EQ(errorWith("first", "Ann\n\nBob\n"), "first.txt:2: a line must not be empty");
  EXPECT_EQ(errorWith("first", "Ann\nBob\nAnn\n"), "first.txt:3: 'Ann' must occur once, but is also in line 1");
  EXPECT_EQ(errorWith("last", "A \n"), "last.txt:1: a line must have single spaces, and none at its ends");
  EXPECT_EQ(errorWith("last", "A  B\n"), "last.txt:1: a line must have single spaces, and none at its ends");
  EXPECT_EQ(errorWith("majors", "Law\nA\tB\n"), "majors.txt:2: a line must not hold control signs");
  EXPECT_EQ(errorWith("majors", "Law\nArt\xff\n"),
            "majors.txt:2: a line must be written in UTF-8, but got the byte 255");
  EXPECT_EQ(errorWith("majors", std::string(5000, 'a')),
            "majors.txt:1: a line must have at most 4096 bytes, but got 5000");
  EXPECT_EQ(errorWith("cities", "{city}\n"), "cities.txt:1: an entry must not hold '{', '}' or '|'");
  std::filesystem::remove(directory + "/cities.txt");
  EXPECT_EQ(errorWith("first", "Ann"), "cannot read 'cities.txt': No such file or directory");
}

TEST_F(CapoLists, employersAreChecked) {
  EXPECT_EQ(errorWith("employers", "Planet\n"), "employers.txt:1: an employer must be written 'employer | city'");
  EXPECT_EQ(errorWith("employers", "A | B | C\n"), "employers.txt:1: an employer must be written 'employer | city'");
  EXPECT_EQ(errorWith("employers", "A | Oslo\nB{he} | Oslo\n"),
            "employers.txt:2: an employer must not hold '{' or '}'");
  EXPECT_EQ(
      errorWith("employers", "Planet | Osslo\n"),
      "employers.txt:1: no city is called 'Osslo'; did you mean 'Oslo'? (work cities have a list of their own where "
      "there is work_cities.txt)");
  EXPECT_EQ(
      errorWith("employers", "Planet | Qqqqqqqqq\n"),
      "employers.txt:1: no city is called 'Qqqqqqqqq' in cities.txt (work cities have a list of their own where there "
      "is work_cities.txt)");
  EXPECT_EQ(errorWith("employers", "A | Oslo\nA | Rome\n"),
            "employers.txt:2: 'A' must occur once, but is also in line 1");
}

TEST_F(CapoLists, workCitiesAreChecked) {
  write("work_cities", "Metropolis\nGotham\n");
  EXPECT_EQ(errorWith("employers", "Planet | Gothan\n"),
            "employers.txt:1: no city is called 'Gothan'; did you mean 'Gotham'?");
  // Those that people are born in are none of them unless they are listed.
  EXPECT_EQ(errorWith("employers", "Planet | Kathmandu\n"),
            "employers.txt:1: no city is called 'Kathmandu' in work_cities.txt");
  write("work_cities", "Metropolis\nMetropolis\n");
  EXPECT_EQ(errorWith("first", "Ann\n"), "work_cities.txt:2: 'Metropolis' must occur once, but is also in line 1");
  write("work_cities", "");
  EXPECT_EQ(errorWith("first", "Ann\n"), "cannot read 'work_cities.txt': it is empty");
  std::filesystem::remove(directory + "/work_cities.txt");
  std::filesystem::create_symlink("nowhere", directory + "/work_cities.txt");
  EXPECT_EQ(errorWith("first", "Ann\n"), "cannot read 'work_cities.txt': No such file or directory");
}

// Lists of the published shape: more than half of the employers are where nobody is born.
TEST_F(CapoLists, workCitiesMayBeOthersThanThoseOfBirth) {
  const Lists builtIn = readLists("");
  std::string employers, workCities;
  for (size_t i = 0; i < 263; ++i) {
    const size_t city = i < 144 ? i % 90 : 90 + i % 43;
    const std::string name = city < 90 ? "Harbour " + std::to_string(city) + ", QQ" : builtIn.cities[city];
    employers += builtIn.employers[i] + " | " + name + "\n";
    if (workCities.find(name + "\n") == std::string::npos)
      workCities += name + "\n";
  }
  write("employers", employers);
  EXPECT_NE(errorOf([&] { readLists(directory); }).find("no city is called 'Harbour 0, QQ'"), std::string::npos);
  write("work_cities", workCities);

  const Lists lists = readLists(directory);
  EXPECT_EQ(lists.cities, builtIn.cities);
  EXPECT_EQ(lists.workCities.size(), 133u);
  const CapoTask task = make(), usual(Parameters("capo", CapoTask::parameterInfos(), {{"n", "200"}}));
  EXPECT_GT(task.vocabulary(), usual.vocabulary());
  for (size_t fact = 0; fact < factCount; ++fact)
    EXPECT_EQ(task.bitsOf(Fact(fact)), usual.bitsOf(Fact(fact))) << factNames[fact];

  // What is told of people: born where they were, working where the employer is.
  const CapoReader reader(lists);
  std::set<std::string> working;
  for (uint64_t i = 0; i < 200; ++i) {
    const Person person = task.allPeople()[i];
    Row row;
    task.biographies().append(person, task.biographies().shortest(), true, row);
    ASSERT_EQ(int64_t(row.tokens.size()), task.biographies().length(person, task.biographies().shortest()));
    const auto told = reader.read(task.biographies().vocabulary().join(row.tokens).substr(1));
    ASSERT_TRUE(told);
    EXPECT_EQ(told->city.text, builtIn.cities[usual.allPeople()[i].city]);
    EXPECT_EQ(told->workCity.text, lists.workCities[lists.headquarters[person.employer]]);
    EXPECT_NE(employers.find(told->employer.text + " | " + told->workCity.text + "\n"), std::string::npos);
    working.insert(told->workCity.text);
  }
  EXPECT_GT(std::ranges::count_if(working, [](const std::string &city) { return city.starts_with("Harbour "); }), 20);
}

// A list of work cities that says the same changes nothing but the digest.
TEST_F(CapoLists, workCitiesOfBirthAreTheSame) {
  const CapoTask without = make();
  std::string cities;
  for (const std::string &city : readLists("").cities)
    cities.insert(0, city + "\n"); // in another order
  write("work_cities", cities);
  const CapoTask with = make();
  EXPECT_EQ(with.vocabulary(), without.vocabulary());
  EXPECT_NE(with.contents(), without.contents());
  for (Stream stream : {Stream::Train, Stream::Evaluation})
    for (uint64_t sample = 0; sample < 20; ++sample)
      EXPECT_EQ(with.makeRow(3, stream, sample).tokens, without.makeRow(3, stream, sample).tokens);
}

TEST_F(CapoLists, templatesAreChecked) {
  auto error = [&](const std::string &line) {
    return errorWith("sentences_birth_city", "{He} is from {city}.\n" + line);
  };
  const std::string place = "sentences_birth_city.txt:2: ";
  EXPECT_EQ(error("{He} comes from {citty}."), place + "no placeholder is called 'citty'; did you mean 'city'?");
  EXPECT_EQ(error("{He} was born."), place + "a sentence must hold {city} once, but got it 0 times");
  EXPECT_EQ(error("{He} likes {city} and {city}."), place + "a sentence must hold {city} once, but got it 2 times");
  EXPECT_EQ(error("{He} studied {major} in {city}."), place + "a sentence must hold {major} never, but got it 1 times");
  EXPECT_EQ(error("{name} is from {city}."), place + "a sentence must hold {name} never, but got it 1 times");
  EXPECT_EQ(error("{He} is from {city."), place + "a placeholder must be written {name}");
  EXPECT_EQ(error("{He} is from city}."), place + "a placeholder must be written {name}");
  EXPECT_EQ(error("{He} is from ({city})."),
            place + "a space must stand before {city}, and no letter or digit after it");
  EXPECT_EQ(error("{He} is from {city}town."),
            place + "a space must stand before {city}, and no letter or digit after it");
  EXPECT_EQ(error("{He} calls {his}{city} home."),
            place + "a space must stand before {his}, and no letter or digit after it");
  EXPECT_EQ(errorWith("sentences_birth_date", "Born on {date}.\n"),
            "sentences_birth_date.txt:1: a sentence must hold {name} once, but got it 0 times");
  EXPECT_EQ(error("From {city}, {he} came."), "");
}
