// Settings of a run of several ranks.
#include "runtime/program/several_ranks.h"

#include "runtime/program/request.h"
#include "test/unit/runtime/small.h"

#include <map>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

const TaskRegistry tasks{{}, [](const std::string &, const std::string &) { return TaskDefaults{}; }};

RunConfig configured(std::vector<const char *> arguments) {
  arguments.insert(arguments.begin(), {"prog", "--task", "copy"});
  return configure(*parseCommandLine(static_cast<int>(arguments.size()), arguments.data(), "", ""), "model", tasks);
}
std::string settingError(std::vector<const char *> arguments) {
  return errorOf([&] { configured(std::move(arguments)); });
}

// As mpirun sets them for the second of two ranks.
const char *ofTwo(const char *name) {
  static const std::map<std::string, const char *> variables = {
      {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}, {"MASTER_PORT", "7"}};
  const auto found = variables.find(name);
  return found == variables.end() ? nullptr : found->second;
}
const char *ofNobody(const char *) { return nullptr; }

std::string launchError(std::vector<const char *> arguments) {
  return errorOf([&] { launchOf(configured(std::move(arguments)), ofTwo); });
}

} // namespace

TEST(SeveralRanks, Settings) {
  const RunConfig config =
      configured({"--ranks", "4", "--virtual-ranks", "8", "--rank-timeout", "3", "--out", "a", "--max-restarts", "2"});
  EXPECT_EQ(config.ranks, 4);
  EXPECT_EQ(config.virtualRanks, 8);
  EXPECT_EQ(config.rankTimeout, 3);
  EXPECT_EQ(config.maxRestarts, 2);
  const std::string stored = writeConfigFile(config);
  EXPECT_NE(stored.find("\nvirtual-ranks = 8  # command line\n"), std::string::npos);
  for (const char *name : {"\nranks", "\nmax-restarts", "\nrank-timeout"})
    EXPECT_EQ(stored.find(name), std::string::npos) << name;
  EXPECT_EQ(configured({}).ranks, 1);
  EXPECT_EQ(configured({}).rankTimeout, 10);
}

TEST(SeveralRanks, SettingsOutOfRange) {
  EXPECT_EQ(settingError({"--ranks", "0"}), "--ranks must be an integer in 1..4096, but got '0'");
  EXPECT_EQ(settingError({"--virtual-ranks", "-1"}), "--virtual-ranks must be an integer in 0..1048576, but got '-1'");
  EXPECT_EQ(settingError({"--max-restarts", "x"}), "--max-restarts must be an integer in 0..1000000, but got 'x'");
  EXPECT_EQ(settingError({"--rank-timeout", "0"}), "--rank-timeout must be an integer in 1..86400, but got '0'");
}

TEST(SeveralRanks, WhatIsForOneRankIsRefused) {
  const std::vector<std::vector<const char *>> options = {{"--prompt", "1"},
                                                          {"--prompts", "p"},
                                                          {"--dump-gradients", "g", "--steps", "1"},
                                                          {"--dump-batch", "b", "--steps", "1"}};
  for (std::vector<const char *> words : options) {
    const std::string option = words[0];
    EXPECT_EQ(launchError(words), option + " must be given to one rank, but got 2 (PMI_SIZE)");
    words.insert(words.end(), {"--ranks", "3"});
    EXPECT_EQ(settingError(words), option + " must be given to one rank, but got 3 (--ranks)");
  }
}

TEST(SeveralRanks, RestartsNeedRanksAndAFolder) {
  EXPECT_EQ(settingError({"--max-restarts", "1", "--out", "a"}), "--max-restarts needs ranks to start: give --ranks N");
  for (std::vector<const char *> words : {std::vector<const char *>{"--max-restarts", "1", "--ranks", "2"},
                                          {"--max-restarts", "1", "--ranks", "2", "--out", "none"}})
    EXPECT_EQ(settingError(words), "--max-restarts needs the run directory: give --out FOLDER");
}

TEST(SeveralRanks, TheLauncherAndTheUserHaveToAgree) {
  EXPECT_FALSE(launchOf(configured({"--ranks", "2"}), ofNobody)) << "it is to start them";
  EXPECT_EQ(launchOf(configured({}), ofTwo)->rank, 1);
  EXPECT_EQ(launchOf(configured({"--ranks", "2"}), ofTwo)->rank, 1);
  EXPECT_FALSE(launchOf(configured({"--ranks", "1"}), ofTwo)) << "each is a run of its own";
  EXPECT_EQ(launchError({"--ranks", "4"}), "--ranks must be the 2 that mpirun started (PMI_SIZE), but got 4");
}
