// Settings of a run of several ranks.
#include "runtime/program/several_ranks.h"

#include "runtime/dist/data_parallel.h"
#include "runtime/program/request.h"
#include "test/unit/runtime/small.h"

#include <algorithm>
#include <bit>
#include <functional>
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

// A program of which as much is there as ranks compare.
struct ProgramToCompare {
  ProgramToCompare() {
    kernel.name = "layer.forward.rowwise0", kernel.chunks = 4, kernel.chunk_rows = 2;
    program.spec_hash = "1", program.target = "cpu", program.compiler = "2", program.cpu = "x86-64-v3";
    program.dtype = program.activation_dtype = STRETTO_F32;
    program.batch = 2, program.length = 8;
    program.kernels = &kernel, program.kernel_count = 1;
    program.buckets = &bucket, program.bucket_count = 1;
  }
  stretto_kernel kernel = {};
  stretto_bucket bucket = {0, 8};
  stretto_program program = {};
};

using Facts = std::vector<std::pair<std::string, std::string>>;

Facts factsOf(const ProgramToCompare &its, const RunConfig &config, const char *device = "cpu") {
  return whatMustAgree(its.program, config, "task copy", device);
}
// The one fact in which two ranks differ, with both values; "" where they do not.
std::string difference(const Facts &one, const Facts &two) {
  std::string found;
  for (size_t i = 0; i < one.size(); ++i)
    if (one[i] != two.at(i))
      found += one[i].first + ": " + one[i].second + ", " + two[i].second;
  return found;
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

TEST(SeveralRanks, EachHasAPowerOfTwoOfVirtualRanksUnlessOneHasAll) {
  for (int64_t virtualRanks = 1; virtualRanks <= 40; ++virtualRanks)
    for (int64_t ranks = 1; ranks <= 41; ++ranks) {
      const int64_t each = virtualRanks / ranks;
      const bool fits = virtualRanks % ranks == 0 && (ranks == 1 || std::has_single_bit(static_cast<uint64_t>(each)));
      const std::string error = errorOf([&] { EXPECT_EQ(shareVirtualRanks(virtualRanks, ranks), each); });
      EXPECT_EQ(error.empty(), fits) << ranks << " ranks, " << virtualRanks << " virtual ones: " << error;
    }
  EXPECT_EQ(errorOf([] { shareVirtualRanks(12, 4); }),
            "4 ranks cannot share 12 virtual ranks evenly by powers of two; use 1, 3, 6, 12 ranks, or start a new run "
            "with --virtual-ranks 4");
  EXPECT_EQ(errorOf([] { shareVirtualRanks(1, 2); }),
            "2 ranks cannot share 1 virtual rank evenly by powers of two; use 1 rank, or start a new run with "
            "--virtual-ranks 2");
}

TEST(SeveralRanks, ProgramsHaveToAgree) {
  const RunConfig config = configured({});
  const auto differing = [&](const std::function<void(ProgramToCompare &)> &change) {
    ProgramToCompare other;
    change(other);
    return difference(factsOf({}, config), factsOf(other, config));
  };
  EXPECT_EQ(differing([](ProgramToCompare &) {}), "");
  EXPECT_EQ(differing([](ProgramToCompare &its) { its.program.dtype = its.program.activation_dtype = STRETTO_F64; }),
            "type of numbers: F32, F64");
  EXPECT_EQ(differing([](ProgramToCompare &its) { its.program.activation_dtype = STRETTO_BF16; }),
            "type of numbers: F32, F32 and BF16");
  EXPECT_EQ(differing([](ProgramToCompare &its) { its.program.input.is_masked = 1; }), "--mask-documents: off, on");
  EXPECT_EQ(differing([](ProgramToCompare &its) { its.program.cpu = "znver4"; }),
            "CPU that it was compiled for: x86-64-v3, znver4");
  for (const auto &change : std::vector<std::function<void(ProgramToCompare &)>>{
           [](ProgramToCompare &its) { its.kernel.name = "layer.forward.rowwise1"; },
           [](ProgramToCompare &its) { its.kernel.chunks = 8; },
           [](ProgramToCompare &its) { its.kernel.chunk_rows = 1; },
           [](ProgramToCompare &its) { its.bucket.first_row = 2; }, [](ProgramToCompare &its) { its.bucket.rows = 6; }})
    EXPECT_TRUE(differing(change).starts_with("digest of kernels: ")) << differing(change);
}

TEST(SeveralRanks, SettingsHaveToAgree) {
  const Facts usual = factsOf({}, configured({"--steps", "3", "--out", "a"}));
  const auto differing = [&](std::vector<const char *> arguments) {
    arguments.insert(arguments.begin(), {"--steps", "3"});
    if (std::ranges::find(arguments, std::string_view("--out")) == arguments.end())
      arguments.insert(arguments.end(), {"--out", "a"});
    return difference(usual, factsOf({}, configured(std::move(arguments))));
  };
  EXPECT_EQ(differing({"--seed", "3"}), "--seed: 0, 3");
  EXPECT_EQ(differing({"--init-from", "b"}), "--init-from: not given, b");
  EXPECT_EQ(differing({"--task-set", "n=3"}), "--task-set: not given, n=3");
  EXPECT_EQ(differing({"--profile"}), "kind of run: training, training --profile");
  EXPECT_EQ(differing({"--out", "none"}), "kind of run: training, training --out none");
  EXPECT_EQ(difference(usual, factsOf({}, configured({"--steps", "3", "--out", "a"}), "null-async")),
            "device: cpu, null-async");
  // What each may have for itself, and what says the same in other words.
  EXPECT_EQ(differing({"--threads", "3", "--quiet", "--log-every", "7", "--out", "b", "--seed", "0"}), "");
}
