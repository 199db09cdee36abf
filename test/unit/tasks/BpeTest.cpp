// Byte-pair encoding, and Capo with a tokenizer.
#include "tasks/common/bpe.h"
#include "Support.h"
#include "runtime/generate/task_text.h"
#include "tasks/capo/capo.h"
#include "tasks/capo/embedded_lists.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;
using namespace stretto::test;

namespace {

// A tokenizer of all bytes and a few merges, in the form of the published files.
class BpeFiles : public ::testing::Test {
protected:
  void SetUp() override {
    directory = ::testing::TempDir() + "bpe_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(directory);
    std::string vocabulary = "{\"<|endoftext|>\": 0";
    for (int byte = 0; byte < 256; ++byte)
      vocabulary += ", \"" + letterOf(byte) + "\": " + std::to_string(300 + byte);
    // The space is written as U+0120.
    vocabulary += ", \"\\u0120t\": 1, \"he\": 2, \"\\u0120the\": 3, \"re\": 4, \"er\": 5}\n";
    write("vocab.json", vocabulary);
    write("merges.txt", "#version: 0.2\n\xc4\xa0 t\nh e\n\xc4\xa0t he\nr e\ne r\n");
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  // How the files write a byte, in JSON.
  static std::string letterOf(int byte) {
    int letter = byte, next = 256;
    for (int b = 0; b <= byte; ++b)
      if (b < 33 || b == 127 || (b > 127 && b < 161) || b == 173)
        letter = next++;
      else
        letter = b;
    if (letter == '"' || letter == '\\')
      return std::string("\\") + char(letter);
    if (letter < 128)
      return std::string(1, char(letter));
    return {char(0xc0 | letter >> 6), char(0x80 | (letter & 0x3f))};
  }

  void write(const std::string &name, const std::string &text) {
    std::ofstream(directory + "/" + name, std::ios::binary | std::ios::trunc) << text;
  }
  std::string contents(const std::string &name) const {
    std::ifstream in(directory + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string errorWith(const std::string &name, const std::string &text) {
    write(name, text);
    std::string error = errorOf([&] { Bpe bpe(directory); });
    size_t at = error.find(directory + "/");
    return at == std::string::npos ? error : error.erase(at, directory.size() + 1);
  }

  // Expects the text of a sequence of Capo to be read as its tokens.
  static void expectReadBack(const std::map<std::string, std::string> &settings) {
    const TaskText text(makeTask("capo", settings));
    const std::vector<int32_t> row = Batch(*makeTask("capo", settings), 1, Stream::Train, 0, 1).row(0);
    EXPECT_EQ(text.read(text.write(row), "prompt"), row);
  }

  std::string directory;
};

using Strings = std::vector<std::string>;

} // namespace

TEST_F(BpeFiles, earlierMergesComeFirst) {
  Bpe bpe(directory);
  EXPECT_EQ(bpe.split(" the"), Strings{" the"});
  EXPECT_EQ(bpe.split("the"), (Strings{"t", "he"}));
  EXPECT_EQ(bpe.split(" there"), (Strings{" the", "re"}));
  EXPECT_EQ(bpe.split("ere"), (Strings{"e", "re"}));
  EXPECT_EQ(bpe.split("erher"), (Strings{"er", "he", "r"}));
  EXPECT_EQ(bpe.split("\xc3\xa9\n"), (Strings{"\xc3", "\xa9", "\n"}));
  EXPECT_EQ(bpe.id(" the"), 3);
  EXPECT_EQ(bpe.id("\n"), 310);
  EXPECT_EQ(bpe.id("x y"), -1);
}

TEST_F(BpeFiles, capoUsesTheTokensThatOccur) {
  CapoTask words(Parameters("capo", CapoTask::parameterInfos(), {{"n", "40"}, {"length", "512"}}));
  CapoTask task(
      Parameters("capo", CapoTask::parameterInfos(), {{"n", "40"}, {"length", "512"}, {"vocabulary", directory}}));
  EXPECT_LT(task.vocabulary(), 120);
  Batch batch(task, 1, Stream::Train, 0, 1);
  // The same people, in letters; the published ids write the same text.
  Person person = task.allPeople()[3];
  Row inWords, inLetters;
  words.biographies().append(person, words.biographies().shortest(), true, inWords);
  task.biographies().append(person, words.biographies().shortest(), true, inLetters);
  EXPECT_EQ(task.biographies().vocabulary().join(inLetters.tokens),
            words.biographies().vocabulary().join(inWords.tokens));
  EXPECT_EQ(int64_t(inLetters.tokens.size()), task.biographies().length(person, words.biographies().shortest()));
  std::vector<int32_t> ids = publishedIds(task);
  ASSERT_EQ(int64_t(ids.size()), task.vocabulary());
  EXPECT_EQ(ids[0], 0);
  Bpe bpe(directory);
  for (int32_t token = 1; token < task.vocabulary(); ++token)
    EXPECT_EQ(ids[token], bpe.id(task.biographies().vocabulary().text(token)));
  EXPECT_TRUE(publishedIds(words).empty());
  // Facts are told by the same text.
  for (size_t i = 0; i < inWords.answers.size(); ++i) {
    auto text = [&](const CapoTask &in, const Row &row) {
      const Answer &answer = row.answers[i];
      return in.biographies().vocabulary().join(std::span(row.tokens).subspan(answer.begin, answer.end - answer.begin));
    };
    EXPECT_EQ(text(task, inLetters), text(words, inWords));
  }
}

TEST_F(BpeFiles, theFilesHaveADigest) {
  auto digests = [&] { return contentsOf("capo", {{"vocabulary", directory}}); };
  const std::string digest = digests();
  EXPECT_TRUE(digest.starts_with("vocabulary "));
  EXPECT_EQ(digests(), digest);
  for (auto [name, old, changed] :
       {std::tuple("vocab.json", "\"re\": 4", "\"re\": 6"), {"merges.txt", "r e\ne r", "e r\nr e"}}) {
    std::string text = contents(name);
    const std::string kept = text;
    write(name, text.replace(text.find(old), std::string(old).size(), changed));
    EXPECT_NE(digests(), digest) << name;
    write(name, kept);
  }
}

TEST_F(BpeFiles, filesAreChecked) {
  auto merges = [&](const std::string &text) { return errorWith("merges.txt", text); };
  EXPECT_EQ(merges("h e\nh e\n"), "merges.txt:2: a merge must occur once, but got 'h e' also in line 1");
  const std::string two = "a merge must be two tokens with a space between them, but got ";
  EXPECT_EQ(merges("h\n"), "merges.txt:1: " + two + "'h'");
  EXPECT_EQ(merges("h e\nh\xff\x01r\n"), "merges.txt:2: " + two + "'h..r'");
  EXPECT_EQ(merges(std::string(50, 'h')), "merges.txt:1: " + two + "'" + std::string(40, 'h') + "...'");
  EXPECT_EQ(merges("x y\n"), "merges.txt:1: a merge must make a token of vocab.json, but got 'x y'");
}

TEST_F(BpeFiles, vocabulariesAreChecked) {
  auto error = [&](const std::string &text) { return errorWith("vocab.json", text); };
  EXPECT_EQ(error("[]"), "vocab.json:1:1: here must stand '{', but got '['");
  EXPECT_EQ(error("{\"a\": 1,\n \"a\": 2}"), "vocab.json:2:2: a token must occur once, but this one stood above");
  EXPECT_EQ(error("{\"a\": 1, \"b\": 1}"), "vocab.json:1:10: an id must occur once, but got 1 again");
  const std::string id = "an id must be a number from 0 to 2147483647, but got ";
  EXPECT_EQ(error("{\"a\": -1}"), "vocab.json:1:7: " + id + "'-1'");
  EXPECT_EQ(error("{\"a\":\n9999999999}"), "vocab.json:2:1: " + id + "'9999999999'");
  EXPECT_EQ(error("{\"a\": \x01}"), "vocab.json:1:7: " + id + "the byte 1");
  EXPECT_EQ(error("{\"a\": 1"), "vocab.json:1:8: after an id must stand ',' or '}', but got the end of the file");
  EXPECT_EQ(error("{\"a\": 1.5}"), "vocab.json:1:8: after an id must stand ',' or '}', but got '.5'");
  EXPECT_EQ(error("{\"a\": 1,}"), "vocab.json:1:9: here must stand '\"', but got '}'");
  EXPECT_EQ(error("{\"\": 1}"), "vocab.json:1:3: a token must not be empty");
  EXPECT_EQ(error("{\"a"), "vocab.json:1:3: a token must end with '\"', but got the end of the file");
  const std::string letters = "a token must be written in letters that stand for bytes, but got ";
  EXPECT_EQ(error("{\"\xe2\x82\xac\": 1}"), "vocab.json:1:3: " + letters + "the byte 226");
  EXPECT_EQ(error("{\"a b\": 1}"), "vocab.json:1:4: " + letters + "the byte 32");
  EXPECT_EQ(error("{\"\\ud83d\": 1}"), "vocab.json:1:3: " + letters + "'\\'");
  EXPECT_EQ(error("{\"a\": 1} x"), "vocab.json:1:10: the file must end after the object, but got 'x'");
}

TEST_F(BpeFiles, publishedIdsNeedTheTokenOfTheEnd) {
  std::string text = contents("vocab.json");
  write("vocab.json", text.replace(text.find("<|endoftext|>"), 13, "<|end|>"));
  auto task = makeTask("capo", {{"n", "40"}, {"vocabulary", directory}});
  EXPECT_EQ(errorOf([&] { publishedIds(*task); }),
            "task 'capo': the vocabulary '" + directory + "' must hold the token '<|endoftext|>' for its ids");
}

TEST_F(BpeFiles, biographiesReadBack) { expectReadBack({{"n", "40"}, {"vocabulary", directory}}); }

// A value and the text behind it are cut one by one, where the same signs in one text are a token that no text has.
TEST_F(BpeFiles, signsOfTwoTextsReadBack) {
  std::string vocabulary = contents("vocab.json");
  write("vocab.json", vocabulary.replace(vocabulary.find("\"he\""), 0, "\"'s\": 6, \".'\": 7, \".)\": 8, "));
  write("merges.txt", contents("merges.txt") + "' s\n. '\n. )\n");
  for (const EmbeddedList &list : embeddedLists)
    write(std::string(list.name) + ".txt", std::string(list.text));
  write("employers.txt", "Acme Inc. | Dhaka\nBolt Inc. | Durham\n");
  write("sentences_employer.txt", "{He} liked {employer}'s work.\n{He} worked (for {employer}).\n");
  expectReadBack({{"n", "40"}, {"vocabulary", directory}, {"lists", directory}});
}

TEST_F(BpeFiles, unknownWordsAreToldWhole) {
  const TaskText text(makeTask("capo", {{"n", "40"}, {"vocabulary", directory}}));
  try {
    text.read("He caf\u00e9s, there", "prompt 1");
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("but got 'caf\u00e9s,' (stretto data capo"), std::string::npos)
        << error.what();
  }
}

TEST_F(BpeFiles, everyByteNeedsAToken) {
  write("merges.txt", "#version: 0.2\n");
  write("vocab.json", "{\"a\": 1}");
  EXPECT_EQ(errorOf([&] { Bpe(directory).split("ab"); }),
            "vocabulary '" + directory + "' must hold a token for byte 98 of 'ab'");
}
