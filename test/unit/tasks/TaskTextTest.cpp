// Tokens of the tasks as text, and back.
#include "runtime/generate/task_text.h"

#include "Support.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;
using namespace stretto::test;

namespace {

using Tokens = std::vector<int32_t>;

// Where the last document of a row begins.
int64_t lastDocument(const Batch &batch, int64_t row) {
  int64_t at = batch.length - 1;
  while (batch.positions[row * batch.length + at] != 0)
    --at;
  return at;
}

// The message of the Error that `call` throws; empty where it throws none.
template <typename F> std::string refusal(F call) {
  try {
    call();
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST(TaskText, documentsReadBack) {
  for (const TaskInfo &info : listTasks()) {
    if (info.name == "tokens") // whose file has numbers alone
      continue;
    const TaskText text(makeTask(info.name, {}));
    Batch batch(*makeTask(info.name, {}), 3, Stream::Train, 0, 4);
    for (int64_t r = 0; r < 4; ++r) {
      const Tokens row = batch.row(r), whole(row.begin(), row.begin() + lastDocument(batch, r));
      EXPECT_EQ(text.read(text.write(whole), "prompt"), whole) << info.name << ", sequence " << r;
    }
  }
}

TEST(TaskText, isTheTextOfTheTask) {
  const TaskText depo(makeTask("depo2", {}));
  EXPECT_EQ(depo.write(depo.read("<begin>  ab bc\n<k=3> ab <answer>", "")), "<begin> ab bc <k=3> ab <answer>");
  const TaskText large(makeTask("depo1", {}));
  EXPECT_EQ(large.write(large.read("3.15 7", "")), "3.15 7");
  const TaskText hops(makeTask("hops", {}));
  EXPECT_EQ(hops.write(hops.read("Question: In which year was", "")), "Question: In which year was");
}

// Where a text has a space before another white space, a space alone is a token.
TEST(TaskText, theSpaceBehindTheLastWordIsNoToken) {
  const std::string path = ::testing::TempDir() + "spaces.txt";
  std::ofstream(path) << "They came \u00a0again then. They went on and on.\n";
  const TaskText text(makeTask("hops", {{"people", "2"}, {"file", path}}));
  EXPECT_EQ(text.write(text.read("came \u00a0again", "")), "came \u00a0again");
  EXPECT_EQ(text.read("came", "").size(), 1);
  EXPECT_EQ(text.read("<begin> They came \u00a0again", "").size(), 6);
  EXPECT_TRUE(text.read(" ", "").empty());
  std::filesystem::remove(path);
}

TEST(TaskText, unknownWordsAreRefused) {
  const TaskText text(makeTask("copy", {{"n", "2"}, {"symbols", "3"}}));
  const std::string known = " (stretto data copy --vocabulary, with the settings of the run, lists it)";
  EXPECT_EQ(refusal([&] { text.read("<begin> 1 4", "prompt 2"); }),
            "prompt 2: a prompt must be words of the vocabulary of task 'copy', but got '4'" + known);
  EXPECT_EQ(refusal([&] { text.read("12<query>", "prompt 1"); }),
            "prompt 1: a prompt must be words of the vocabulary of task 'copy', but got '12<query>'" + known);
}

TEST(TaskText, idsThatTheTaskLacksAreMarks) {
  EXPECT_EQ(TaskText(makeTask("copy", {{"n", "2"}, {"symbols", "3"}})).write(Tokens{5, 1, 6, 7, 2}),
            "<5> <query> <6> <7> 1");
  const TaskText hops(makeTask("hops", {}));
  Tokens tokens = hops.read("Question: In", "");
  tokens.insert(tokens.end() - 1, 1 << 30);
  EXPECT_EQ(hops.write(tokens), "Question: <1073741824> In");
}
