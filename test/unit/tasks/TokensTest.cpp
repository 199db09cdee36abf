// Token files as a task.
#include "tasks/tokens/tokens.h"
#include "Support.h"
#include "tasks/common/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;
using namespace stretto::test;

namespace {

class Tokens : public ::testing::Test {
protected:
  std::string path = ::testing::TempDir() + "tokens_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();

  void TearDown() override { std::filesystem::remove(path); }

  void writeBytes(const std::string &bytes) { std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes; }

  static std::string bytesOf(TokenHeader header, const std::vector<int32_t> &tokens) {
    std::ostringstream out;
    header.count = int64_t(tokens.size());
    writeTokenHeader(out, header);
    writeTokens(out, header, tokens);
    return out.str();
  }

  std::unique_ptr<TokensTask> open(std::map<std::string, std::string> settings) {
    settings["file"] = path;
    return std::make_unique<TokensTask>(Parameters("tokens", TokensTask::parameterInfos(), settings));
  }
  std::string error(const std::map<std::string, std::string> &settings) {
    std::string text = errorOf([&] { open(settings); });
    size_t at = text.find(path);
    return at == std::string::npos ? text : text.replace(at, path.size(), "F");
  }
  std::string errorOfBytes(const std::string &bytes) {
    writeBytes(bytes);
    return error({{"length", "2"}});
  }

  static std::vector<int32_t> count(int32_t n) {
    std::vector<int32_t> tokens(n);
    for (int32_t i = 0; i < n; ++i)
      tokens[i] = i;
    return tokens;
  }
};

} // namespace

TEST_F(Tokens, bothWidthsAreReadBack) {
  for (int64_t vocabulary : {65536, 70000}) {
    std::vector<int32_t> tokens = {0, 1, 255, 256, 65535, int32_t(vocabulary) - 1, 7};
    std::string bytes = bytesOf({.vocabulary = vocabulary, .separator = 7, .opener = 1}, tokens);
    EXPECT_EQ(bytes.size(), 48 + tokens.size() * (vocabulary == 65536 ? 2 : 4));
    writeBytes(bytes);
    TokenFile file(path);
    EXPECT_EQ(file.header().vocabulary, vocabulary);
    EXPECT_EQ(file.header().separator, 7);
    EXPECT_EQ(file.header().opener, 1);
    ASSERT_EQ(file.header().count, 7);
    for (int64_t i = 0; i < 7; ++i)
      EXPECT_EQ(file[i], tokens[i]);
  }
}

// Ten rows of four: each pass over the training rows takes each once, and the held-out ones never.
TEST_F(Tokens, rowsAreSplitAndShuffled) {
  writeBytes(bytesOf({.vocabulary = 100}, count(43)));
  auto task = open({{"length", "4"}, {"validation", "3"}});
  EXPECT_EQ(task->trainingRows(), 7);
  EXPECT_EQ(task->evaluationRows(), 3);
  Batch train(*task, 1, Stream::Train, 0, 21);
  std::vector<std::vector<int32_t>> orders;
  for (int64_t pass = 0; pass < 3; ++pass) {
    std::vector<int32_t> order;
    for (int64_t r = 7 * pass; r < 7 * (pass + 1); ++r) {
      std::vector<int32_t> row = train.row(r);
      for (size_t t = 1; t < row.size(); ++t)
        EXPECT_EQ(row[t], row[0] + int32_t(t));
      order.push_back(row[0] / 4);
    }
    orders.push_back(order);
    EXPECT_EQ(std::set(order.begin(), order.end()), (std::set<int32_t>{0, 1, 2, 3, 4, 5, 6}));
  }
  EXPECT_FALSE(orders[0] == orders[1] && orders[1] == orders[2]);
  Batch held(*task, 1, Stream::Evaluation, 1, 3);
  EXPECT_EQ(held.tokens, (std::vector<int32_t>{32, 33, 34, 35, 36, 37, 38, 39, 28, 29, 30, 31}));
  EXPECT_EQ(std::ranges::count(held.mask, 1), 12);
  auto other = Batch(*task, 2, Stream::Train, 0, 21).tokens;
  EXPECT_NE(other, train.tokens);
}

TEST_F(Tokens, sharesAreRounded) {
  writeBytes(bytesOf({.vocabulary = 100}, count(81)));
  for (auto [text, rows] : {std::pair{"0.05", 1}, {"0.2", 4}, {".5", 10}, {"0.999", 19}, {"1", 1}, {"19", 19}})
    EXPECT_EQ(open({{"length", "4"}, {"validation", text}})->evaluationRows(), rows) << text;
}

TEST_F(Tokens, positionsRestartWithDocuments) {
  writeBytes(bytesOf({.vocabulary = 10, .separator = 9, .opener = 0},
                     {1, 9, 2, 3, 0, 4, 9, 9, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  auto positions = [&](const std::map<std::string, std::string> &settings) {
    auto all = settings;
    all["length"] = "9";
    Batch batch(*open(all), 1, Stream::Train, 0, 1);
    return std::vector<int32_t>(batch.positions.begin(), batch.positions.end());
  };
  EXPECT_EQ(positions({}), (std::vector<int32_t>{0, 1, 0, 1, 0, 1, 2, 0, 0}));
  EXPECT_EQ(positions({{"separator", "none"}, {"opener", "3"}}), (std::vector<int32_t>{0, 1, 2, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(positions({{"separator", "0"}, {"opener", "none"}}), (std::vector<int32_t>{0, 1, 2, 3, 4, 0, 1, 2, 3}));
}

TEST_F(Tokens, predictionsAreScored) {
  writeBytes(bytesOf({.vocabulary = 100}, count(43)));
  auto task = open({{"length", "4"}, {"validation", "3"}});
  Batch batch(*task, 1, Stream::Evaluation, 0, 3);
  std::vector<int32_t> predicted = batch.targets;
  std::vector<double> nll(12, 0.5);
  predicted[3] = 0;
  nll[3] = 3.5;
  auto scores = task->score(1, 0, batch.view(), {predicted, nll});
  EXPECT_EQ(scores[0].name, "nll");
  EXPECT_EQ(scores[0].result(), 0.75);
  EXPECT_EQ(scores[1].right(), 11);
  EXPECT_EQ(scores[1].count, 12);
}

// Of the header and of all ids, also of those behind the first piece that is read.
TEST_F(Tokens, filesHaveDigests) {
  const std::string bytes = bytesOf({.vocabulary = 1000, .separator = 3}, std::vector<int32_t>(200000, 5));
  auto contents = [&](const std::string &changed) {
    writeBytes(changed);
    return contentsOf("tokens", {{"file", path}});
  };
  const std::string digest = contents(bytes);
  EXPECT_TRUE(digest.starts_with("file "));
  EXPECT_EQ(contents(bytes), digest);
  for (size_t at : {size_t(24), size_t(48), 48 + 2 * size_t(1 << 16) - 2, 48 + 2 * size_t(1 << 16), bytes.size() - 2}) {
    std::string changed = bytes;
    ++changed[at];
    EXPECT_NE(contents(changed), digest) << at;
  }
}

TEST_F(Tokens, damagedFilesAreRefused) {
  const std::string good = bytesOf({.vocabulary = 100}, count(20));
  EXPECT_EQ(errorOfBytes(good), "");
  EXPECT_EQ(errorOf([] { makeTask("tokens", {}); }), "task 'tokens': parameter 'file' must name a token file");
  EXPECT_EQ(errorOf([] { makeTask("tokens", {{"file", "/nowhere"}}); }),
            "cannot read '/nowhere': No such file or directory");
  EXPECT_EQ(errorOf([] { makeTask("tokens", {{"file", "/"}}); }), "cannot read '/': it must be a regular file");
  EXPECT_EQ(errorOfBytes(""), "cannot read 'F': it is empty");
  EXPECT_EQ(errorOfBytes(good.substr(0, 47)), "token file 'F': must open with a header of 48 bytes, but got 47 bytes");
  EXPECT_EQ(errorOfBytes("x" + good.substr(1)), "token file 'F': must open with 'sttokens', but got 'xttokens'");
  EXPECT_EQ(errorOfBytes(good.substr(0, 87)),
            "token file 'F': must hold 20 ids of 2 bytes after its header, but got 39 bytes");
  EXPECT_EQ(errorOfBytes(good + "ab"),
            "token file 'F': must hold 20 ids of 2 bytes after its header, but got 42 bytes");
  auto with = [&](size_t at, char byte) {
    std::string bytes = good;
    bytes[at] = byte;
    return errorOfBytes(bytes);
  };
  EXPECT_EQ(with(8, 2), "token file 'F': must have version 1, but got 2");
  EXPECT_EQ(with(12, 3), "token file 'F': ids must be 2 or 4 bytes wide, but got 3");
  EXPECT_EQ(with(16, 0), "token file 'F': the vocabulary must lie in 1..65536 for ids of 2 bytes, but got 0");
  EXPECT_EQ(errorOfBytes(bytesOf({.vocabulary = int64_t{1} << 31}, count(9))),
            "token file 'F': the vocabulary must lie in 1..2147483647 for ids of 4 bytes, but got 2147483648");
  EXPECT_EQ(with(18, 2), "token file 'F': the vocabulary must lie in 1..65536 for ids of 2 bytes, but got 131172");
  EXPECT_EQ(with(24, 100), "token file 'F': the ids that part documents must lie in -1..99, but got -156");
  EXPECT_EQ(with(48 + 10, 100),
            "token file 'F': ids must be below the vocabulary of 100, but id 5, at byte 58, is 100");
}

TEST_F(Tokens, aFileThatIsWrittenToIsNotReadOn) {
  const std::string bytes = bytesOf({.vocabulary = 100}, count(21));
  for (size_t left : {bytes.size(), bytes.size() - 20}) {
    writeBytes(bytes);
    const auto task = open({{"length", "4"}});
    const auto fill = [&] { Batch(*task, 0, Stream::Train, 0, 1); };
    EXPECT_EQ(errorOf(fill), "");
    std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) - std::chrono::seconds(1));
    std::filesystem::resize_file(path, left);
    EXPECT_EQ(errorOf(fill),
              "'" + path + "' must not change while it is in use, but was written to: it had 90 bytes, now it has " +
                  std::to_string(left));
  }
}

TEST_F(Tokens, parametersAreChecked) {
  writeBytes(bytesOf({.vocabulary = 100}, count(21)));
  EXPECT_EQ(error({{"length", "10"}}), "");
  EXPECT_EQ(error({{"length", "11"}}),
            "task 'tokens': 'F' must hold at least 23 ids, for one sequence of training and one held out, but got 21");
  for (const char *text : {"0", "5", "-1", "x", "", "1.0", "0.0", "nan", "0.5x"})
    EXPECT_EQ(
        error({{"length", "4"}, {"validation", text}}),
        std::string("task 'tokens': parameter 'validation' must be a number of sequences in 1..4 or a share between "
                    "0. and 1., but got '") +
            text + "'");
  EXPECT_EQ(error({{"length", "4"}, {"separator", "100"}}),
            "task 'tokens': parameter 'separator' must be an id in 0..99, 'none' or 'file', but got '100'");
  EXPECT_EQ(error({{"length", "4"}, {"opener", "fil"}}),
            "task 'tokens': parameter 'opener' must be an id in 0..99, 'none' or 'file', but got 'fil'");
}

// Whatever happens to a file, it is refused with one message or its rows hold ids of the vocabulary.
TEST_F(Tokens, mutatedFilesAreRefusedOrRead) {
  const std::string good = bytesOf({.vocabulary = 60, .separator = 3}, count(50));
  int refused = 0, taken = 0;
  for (uint64_t sample = 0; sample < 800; ++sample) {
    Random random(1, 0, sample);
    std::string bytes = good;
    for (uint64_t i = 0, edits = 1 + random.below(2); i < edits && !bytes.empty(); ++i) {
      size_t at = random.below(random.below(2) ? bytes.size() : std::min<size_t>(48, bytes.size()));
      switch (random.below(4)) {
      case 0:
        bytes[at] = char(random.next32());
        break;
      case 1:
        bytes[at] ^= char(1 << random.below(8));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.insert(at, 1 + random.below(4), char(random.next32()));
        break;
      }
    }
    writeBytes(bytes);
    std::string text = errorOf([&] {
      auto task = open({{"length", "3"}});
      Batch batch(*task, 1, Stream::Train, 0, 4);
      for (int32_t token : batch.row(3))
        ASSERT_TRUE(token >= 0 && token < task->vocabulary());
    });
    ++(text.empty() ? taken : refused);
  }
  EXPECT_GT(refused, 200);
  EXPECT_GT(taken, 20);
}
