// What ids mean to weights, and where they may mean something else.
#include "runtime/train/meanings.h"

#include "test/unit/runtime/small.h"

#include <fmt/format.h>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

// Of three ids; the last one says a setting of the task.
struct Words final : Task {
  Words(std::string name, std::map<std::string, std::string> given)
      : called(std::move(name)), given(std::move(given)) {}
  std::string name() const override { return called; }
  int64_t length() const override { return 8; }
  int64_t vocabulary() const override { return 3; }
  std::map<std::string, std::string> settings() const override { return given; }
  std::string meaning(int32_t id) const override {
    return called == "unknown" ? "" : id < 2 ? fmt::format("word {}", id) : given.at("last");
  }
  void fill(uint64_t, Stream, uint64_t, BatchView) const override {}
  std::vector<Score> score(uint64_t, uint64_t, const BatchView &, const Predictions &) const override { return {}; }
  std::string describe(const BatchView &, int64_t) const override { return ""; }

  std::string called;
  std::map<std::string, std::string> given;
};

const TaskRegistry tasks = {
    [](const std::string &name, const std::map<std::string, std::string> &settings) -> std::unique_ptr<Task> {
      return std::make_unique<Words>(name, settings);
    },
    [](const std::string &, const std::string &) { return TaskDefaults{}; }};

RunConfig configOf(const std::string &task, const std::string &last) {
  return composeConfig({{{{"task", {task, {}}}}, {{"last", {last, {}}}, {"length", {"8", {}}}}}}, tasks.defaults);
}

// A run of the task "one", whose last id is "end", and what is said of another use of its weights.
struct Meanings : testing::Test {
  Meanings() { spill(folder / "run.toml", writeConfigFile(configOf("one", "end"))); }
  RunConfig use(const std::string &task, const std::string &last, int64_t steps) const {
    RunConfig config = configOf(task, last);
    config.initFrom = folder.path;
    config.steps = steps;
    return config;
  }
  std::string refusal(const std::string &task, const std::string &last, int64_t steps = 0) const {
    const RunConfig config = use(task, last, steps);
    return errorOf([&] { checkMeanings(config, Words(task, config.taskSettings), tasks); });
  }
  std::string warning(const std::string &task, const std::string &last, int64_t steps) const {
    const RunConfig config = use(task, last, steps);
    return transferWarning(config, Words(task, config.taskSettings), tasks);
  }
  std::string differing(const std::string &task, const std::string &changes) const {
    return fmt::format(
        "task '{}': ids must mean what they do to the weights of '{}', but with {} the id 2 is 'stop' and "
        "not 'end'",
        task, folder.path, changes);
  }

  TemporaryFolder folder;
};

} // namespace

TEST_F(Meanings, OfOneTaskMustStay) {
  EXPECT_EQ(refusal("one", "end"), "");
  for (int64_t steps : {0, 9})
    EXPECT_EQ(refusal("one", "stop", steps), differing("one", "last = stop instead of end"));
  EXPECT_EQ(warning("one", "stop", 9), "");
}

TEST_F(Meanings, OfAnotherTaskMustBeTheSameUnlessItIsTrainedOn) {
  EXPECT_EQ(refusal("two", "end"), "") << "names do not matter";
  EXPECT_EQ(refusal("two", "stop"), differing("two", "two instead of one"));
  EXPECT_EQ(refusal("two", "stop", 9), "");
  EXPECT_EQ(warning("two", "end", 9), "");
  EXPECT_EQ(
      warning("two", "stop", 9),
      fmt::format("task 'two': ids mean something else to the weights of '{}': with two instead of one the id 2 is "
                  "'stop' and not 'end'",
                  folder.path));
}

TEST_F(Meanings, OfPromptsAreThoseOfTheRun) {
  RunConfig config = use("two", "stop", 1000);
  config.prompt = "1 2";
  EXPECT_EQ(errorOf([&] { checkMeanings(config, tasks); }), differing("two", "two instead of one"));
  config = use("one", "end", 1000);
  EXPECT_EQ(errorOf([&] { checkMeanings(config, tasks); }), "");
  config.task = "";
  EXPECT_EQ(errorOf([&] { checkMeanings(config, tasks); }), "");
}

// A run tells all settings of its task, a command line those that it names.
TEST_F(Meanings, OfTheSameTaskNoOtherIsMade) {
  const TaskRegistry none = {
      [](const std::string &name, const std::map<std::string, std::string> &) -> std::unique_ptr<Task> {
        ADD_FAILURE() << name << " is made";
        return nullptr;
      },
      tasks.defaults};
  RunConfig config = use("one", "end", 0);
  config.taskSettings.clear();
  const Words task("one", {{"last", "end"}, {"length", "16"}});
  EXPECT_EQ(errorOf([&] { checkMeanings(config, task, none); }), "");
  EXPECT_EQ(transferWarning(config, task, none), "");
}

TEST_F(Meanings, WhatIsNotKnownIsNotCompared) {
  EXPECT_EQ(refusal("unknown", "stop"), "");
  spill(folder / "run.toml", "cut");
  EXPECT_EQ(refusal("two", "stop"), "");
  std::filesystem::remove(folder / "run.toml");
  EXPECT_EQ(refusal("two", "stop"), "");
}
