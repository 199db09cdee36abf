// Sweeps: axes, settings and the runs that follow.
#include "tools/sweep/axes.h"
#include "tools/sweep/line.h"
#include "tools/sweep/plan.h"

#include "tools/stretto/error.h"
#include "tools/support/text.h"
#include "tools/sweep/state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace stretto::tools {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::string errorOf(const std::string &axis) {
  try {
    parseAxis(axis);
  } catch (const CommandError &error) {
    EXPECT_EQ(error.status, 2);
    return error.what();
  }
  return "";
}

struct Folder {
  Folder() {
    char pattern[] = "/tmp/stretto-sweep-XXXXXX";
    path = mkdtemp(pattern);
    std::ofstream(path / "m.stretto") << "model m() {}\n";
  }
  ~Folder() { fs::remove_all(path); }
  SweepLine line(const Words &more) const {
    Words words{(path / "m.stretto").string(), "--out", (path / "out").string()};
    words.insert(words.end(), more.begin(), more.end());
    return readSweepLine(words);
  }

  fs::path path;
};

} // namespace

TEST(Axes, CommasInBracketsDoNotSeparate) {
  const runtime::Axis axis = parseAxis("set.canon_at={},{A, B},f(1,[2,3])");
  EXPECT_EQ(axis.name, "set.canon_at");
  EXPECT_EQ(axis.values, (Words{"{}", "{A, B}", "f(1,[2,3])"}));
  EXPECT_EQ(parseAxis("set.x=a=b,c").values, (Words{"a=b", "c"}));
}

TEST(Axes, MistakesAreNamed) {
  EXPECT_EQ(errorOf("set.x={a],b"), "brackets must match, but got 'set.x={a],b'");
  EXPECT_EQ(errorOf("set.x=a}"), "brackets must match, but got 'set.x=a}'");
  EXPECT_EQ(errorOf("lr=1e-3,0.001"), "the values of 'lr' must differ, but got '0.001' again");
  EXPECT_EQ(errorOf("lr=1e-7,1e-8"), "");
  EXPECT_EQ(errorOf("seed=9007199254740992,9007199254740993"), "");
  EXPECT_EQ(errorOf("steps=1000,1e3"), "the values of 'steps' must differ, but got '1e3' again");
  EXPECT_EQ(errorOf("lr=1e-3,1.0000000001e-3"), "");
  EXPECT_EQ(errorOf("set.x={A, B},{A,B}"), "the values of 'set.x' must differ, but got '{A,B}' again");
  EXPECT_EQ(errorOf("set.x=a b,ab"), "");
  EXPECT_EQ(errorOf("lr="), "each value of 'lr' must have text, but got an empty one");
  EXPECT_EQ(errorOf("=1"), "--over must look like NAME=VALUE,VALUE, but got '=1'");
  for (const char *name : {"set", "task-set", "set.", "out", "threads", "ranks", "max-restarts", "rank-timeout",
                           "check-finite", "resume", "over"})
    EXPECT_NE(errorOf(std::string(name) + "=1"), "") << name;
  for (const char *name : {"set.x", "task-set.n", "batch", "dtype", "task", "schedule", "tokens"})
    EXPECT_EQ(errorOf(std::string(name) + "=1"), "") << name;
}

TEST(Axes, RangesOfIntegersAreWrittenOut) {
  EXPECT_EQ(parseAxis("seed=0..2,7").values, (Words{"0", "1", "2", "7"}));
  EXPECT_EQ(parseAxis("set.x=-1..1").values, (Words{"-1", "0", "1"}));
  EXPECT_EQ(parseAxis("set.x=a..b,1..,..2,1...3,0..1.5").values, (Words{"a..b", "1..", "..2", "1...3", "0..1.5"}));
  EXPECT_EQ(parseAxis("seed=3..3").values, Words{"3"});
  for (const char *range : {"seed=3..1", "seed=0..10000", "seed=0..999999999999999"})
    EXPECT_NE(errorOf(range).find("a range must go from a number to one that is not smaller"), std::string::npos);
  EXPECT_EQ(errorOf("seed=0..3,2"), "the values of 'seed' must differ, but got '2' again");
}

TEST(Axes, SpecsAreFiles) {
  EXPECT_EQ(parseAxis("spec=a.stretto,b/a.stretto").values, (Words{"a.stretto", "b/a.stretto"}));
  EXPECT_EQ(errorOf("spec=a.stretto,./a.stretto"), "the values of 'spec' must differ, but got './a.stretto' again");
  EXPECT_NE(errorOf("spec=-a.stretto"), "");
  EXPECT_EQ(errorOf("spec=a.stretto,llama"),
            "each value of 'spec' must be a file that ends in .stretto or .mlir, but got 'llama'");
}

TEST(Axes, WordsOfTheCommandLine) {
  EXPECT_EQ(optionWords({"spec", {}}, "a.stretto"), Words{"a.stretto"});
  EXPECT_EQ(optionWords({"lr", {}}, "1"), (Words{"--lr", "1"}));
  EXPECT_EQ(optionWords({"set.a", {}}, "{x}"), (Words{"--set", "a={x}"}));
  EXPECT_EQ(optionWords({"task-set.n", {}}, "3"), (Words{"--task-set", "n=3"}));
}

TEST(Axes, ProductWithTheLastAxisFastest) {
  const std::vector<runtime::Axis> axes{{"lr", {"1", "2"}}, {"seed", {"0", "1", "2"}}};
  const auto runs = combinations(axes);
  ASSERT_EQ(runs.size(), 6u);
  EXPECT_EQ(runs[1], (Words{"1", "1"}));
  EXPECT_EQ(runs[3], (Words{"2", "0"}));
  Words many;
  for (int i = 0; i < 101; ++i)
    many.push_back(std::to_string(i));
  EXPECT_THROW(combinations(std::vector<runtime::Axis>{{"seed", many}, {"lr", many}}), CommandError);
}

TEST(Axes, FolderNamesAreSafeAndDiffer) {
  const std::vector<runtime::Axis> axes{{"set.canon_at", {"{}", "{A, B}", "{A,B}", "A/B", "../x", "é"}},
                                        {"set.long", {std::string(300, 'x') + "1", std::string(300, 'x') + "2"}}};
  const auto names = folderNames(axes, combinations(axes));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const std::string &name : names) {
    EXPECT_LE(name.size(), 200u);
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-+_"),
              std::string::npos)
        << name;
  }
  const std::vector<runtime::Axis> plain{{"lr", {"1e-3"}}, {"set.canon_at", {"{A, B}"}}, {"seed", {"0"}}};
  EXPECT_EQ(folderNames(plain, combinations(plain))[0], "lr-1e-3_canon_at-A-B_seed-0");
}

TEST(SweepLine, OwnOptionsApartFromThoseOfTrain) {
  const SweepLine line = readSweepLine(
      Words{"--jobs=3e0", "m.stretto", "--set", "x=1", "--over", "seed=1", "--out", "o", "--lr", "2", "--dry-run"});
  EXPECT_EQ(line.train, (Words{"m.stretto", "--set", "x=1", "--lr", "2"}));
  EXPECT_EQ(line.jobs, 3);
  EXPECT_EQ(line.out, "o");
  EXPECT_TRUE(line.dryRun);
  EXPECT_EQ(line.axes.size(), 1u);
  EXPECT_EQ(line.ranks, 1);
  EXPECT_EQ(readSweepLine(Words{"m.stretto", "--over", "seed=1", "--out", "o", "--ranks=2", "--jobs", "2"}).ranks, 2);
}

// What only the program reads does not make another program.
TEST(SweepPlan, SharesPrograms) {
  const Folder folder;
  const SweepPlan plan = planSweep(folder.line({"--over", "set.dim=1,2", "--over", "seed=0,1", "--over", "lr=1,2"}));
  EXPECT_EQ(plan.runs.size(), 8u);
  ASSERT_EQ(plan.programs.size(), 2u);
  EXPECT_EQ(plan.runs[3].program, 0u);
  EXPECT_EQ(plan.runs[4].program, 1u);
  EXPECT_EQ(plan.programs[1].words, (Words{(folder.path / "m.stretto").string(), "--set", "dim=2"}));
  EXPECT_EQ(planSweep(folder.line({"--over", "task-set.n=1,2"})).programs.size(), 2u);
}

// Where the recipe has a weight decay for each of its rates, a run gets the one of its rate, unless the user says
// another.
TEST(SweepPlan, RatesOfARecipeBringTheirWeightDecay) {
  const Folder folder;
  auto words = [&](const Words &more) {
    Words line{"--task", "tokens", "--preset", "llama-1B", "--over", "lr=recipe"};
    line.insert(line.end(), more.begin(), more.end());
    const SweepPlan plan = planSweep(folder.line(line));
    EXPECT_GE(plan.runs.size(), 2u);
    const Words &last = plan.runs.back().words;
    return Words(std::ranges::find(last, "--lr"), last.end());
  };
  EXPECT_EQ(words({}), (Words{"--lr", "0.003", "--weight-decay", "0.0133"}));
  EXPECT_EQ(words({"--weight-decay", "0.5"}), (Words{"--lr", "0.003"}));
  EXPECT_EQ(words({"--over", "weight-decay=0.1,0.2"}), (Words{"--lr", "0.003", "--weight-decay", "0.2"}));
  EXPECT_EQ(planSweep(folder.line({"--over", "lr=0.003"})).runs[0].words.back(), "0.003");
}

TEST(SweepPlan, DifferencesCountOnlyWhereResultsMayDiffer) {
  const Folder folder;
  auto plan = [&](const Words &more) { return planSweep(folder.line(more)).file; };
  const runtime::SweepFile then = plan({"--over", "seed=0,1", "--lr", "2", "--set", "a=1", "--threads", "2"});
  EXPECT_EQ(differencesOf(then, plan({"--over", "seed=0,1", "--set=a=1", "--lr=2", "--progress", "plain"})), "");
  EXPECT_EQ(differencesOf(then, plan({"--over", "seed=0,1", "--set=a=1", "--lr=2", "--max-restarts=1"})), "");
  EXPECT_EQ(differencesOf(then, plan({"--over", "seed=0,1", "--lr", "2", "--set", "a=2"})),
            "  --set a: was '1', now '2'\n");
  EXPECT_EQ(differencesOf(then, plan({"--over", "seed=0", "--lr", "2", "--check-finite"})),
            "  --check-finite: was not given, now ''\n  --over seed: was '0,1', now '0'\n  --set a: was '1', is not "
            "given now\n");
  std::ofstream(folder.path / "m.stretto") << "model m() { x = 1 }\n";
  EXPECT_NE(differencesOf(then, plan({"--over", "seed=0,1", "--lr", "2", "--set", "a=1"})).find("was changed since"),
            std::string::npos);
}

// An axis may get further values; none may go.
TEST(SweepPlan, AxesMayGrow) {
  const Folder folder;
  auto plan = [&](const Words &more) { return planSweep(folder.line(more)).file; };
  const runtime::SweepFile then = plan({"--over", "lr=1,2", "--over", "seed=0,1"});
  EXPECT_EQ(differencesOf(then, plan({"--over", "lr=2,3,1", "--over", "seed=0..4"})), "");
  EXPECT_EQ(differencesOf(then, plan({"--over", "lr=1,3", "--over", "seed=0..4"})),
            "  --over lr: was '1,2', now '1,3'\n");
  EXPECT_EQ(differencesOf(then, plan({"--over", "seed=0,1", "--over", "lr=1,2"})),
            "  the order of --over or of its values\n");
  EXPECT_EQ(differencesOf(then, plan({"--over", "lr=1,2", "--over", "seed=0,1", "--over", "steps=1,2"})),
            "  --over steps: was not given, now '1,2'\n");
}

// Runs of a recipe's rates have its weight decays; the same rates without them are others.
TEST(SweepPlan, WhatComesWithARateMustStay) {
  const Folder folder;
  const Words task{"--task", "tokens", "--preset", "llama-1B"};
  auto plan = [&](Words words) {
    words.insert(words.end(), task.begin(), task.end());
    return planSweep(folder.line(words)).file;
  };
  const runtime::SweepFile then = plan({"--over", "lr=recipe"});
  EXPECT_EQ(differencesOf(then, then), "");
  EXPECT_EQ(then.runs.back().more, (Words{"--weight-decay", "0.0133"}));
  writeSweepFile(then, folder.path);
  const runtime::SweepFile read = runtime::readSweepFile(folder.path);
  EXPECT_EQ(differencesOf(read, then), "");
  EXPECT_EQ(differencesOf(read, plan({"--over", "lr=0.002,0.003,0.004"})),
            "  options of 'lr-0.002' that come with its lr: was '--weight-decay 0.02', now ''\n");
}

TEST(SweepPlan, SpecsMayBeAnAxis) {
  const Folder folder;
  const auto specs = [&](const Words &names) {
    std::string list;
    for (const std::string &name : names)
      list += (list.empty() ? "" : ",") + (folder.path / name).string();
    return "spec=" + list;
  };
  const auto planOf = [&](Words words) {
    words.insert(words.end(), {"--out", (folder.path / "out").string()});
    return planSweep(readSweepLine(words));
  };
  std::ofstream(folder.path / "n.stretto") << "model n() {}\n";
  const SweepPlan plan = planOf({"--lr", "1", "--over", "seed=0,1", "--over", specs({"m.stretto", "n.stretto"})});
  ASSERT_EQ(plan.runs.size(), 4u);
  EXPECT_EQ(plan.file.runs[1].folder, "seed-0_n");
  EXPECT_EQ(plan.runs[1].words, (Words{(folder.path / "n.stretto").string(), "--lr", "1", "--seed", "0"}));
  EXPECT_EQ(plan.programs.size(), 2u);
  ASSERT_EQ(plan.file.specs.size(), 2u);
  EXPECT_NE(plan.file.specs[0].digest, plan.file.specs[1].digest);
  EXPECT_THROW(planOf({(folder.path / "m.stretto").string(), "--over", specs({"n.stretto"})}), CommandError);
  // Another spec may join; one that was changed, or left, may not go on.
  std::ofstream(folder.path / "o.stretto") << "model o() {}\n";
  const Words more{"--lr", "1", "--over", "seed=0,1", "--over", specs({"m.stretto", "n.stretto", "o.stretto"})};
  EXPECT_EQ(differencesOf(plan.file, planOf(more).file), "");
  EXPECT_NE(differencesOf(planOf(more).file, plan.file), "");
  std::ofstream(folder.path / "n.stretto") << "model n() { x = 1 }\n";
  EXPECT_EQ(differencesOf(plan.file, planOf(more).file),
            "  the spec: '" + (folder.path / "n.stretto").string() + "' was changed since (or what it imports)\n");
}

TEST(SweepFile, ReadsWhatItWrote) {
  const Folder folder;
  const runtime::SweepFile sweep{{{"m \"x\".stretto", "00ff"}},
                                 {"--set", "a={\\,\t'é'}"},
                                 {{"seed", {"0", "1"}}},
                                 {{"seed-0", {"0"}, "stretto train 'x'"}, {"seed-1", {"1"}, "y"}}};
  EXPECT_FALSE(runtime::isSweep(folder.path));
  writeSweepFile(sweep, folder.path);
  ASSERT_TRUE(runtime::isSweep(folder.path));
  const runtime::SweepFile read = runtime::readSweepFile(folder.path);
  ASSERT_EQ(read.specs.size(), 1u);
  EXPECT_EQ(read.specs[0].path, sweep.specs[0].path);
  EXPECT_EQ(read.specs[0].digest, "00ff");
  EXPECT_EQ(read.options, sweep.options);
  EXPECT_EQ(read.axes[0].values, sweep.axes[0].values);
  EXPECT_EQ(read.runs[0].command, "stretto train 'x'");
  EXPECT_EQ(read.runs[1].folder, "seed-1");
}

// The one spec of a sweep may stand there by itself.
TEST(SweepFile, KnowsOneSpecWithoutATable) {
  const Folder folder;
  std::ofstream(folder.path / "sweep.toml") << "spec = 'm'\ntext = 'f'\noptions = []\n[[axis]]\nname = 'seed'\n"
                                               "values = ['0']\n[[run]]\nfolder = 'a'\nvalues = ['0']\ncommand = ''\n";
  const runtime::SweepFile read = runtime::readSweepFile(folder.path);
  ASSERT_EQ(read.specs.size(), 1u);
  EXPECT_EQ(read.specs[0].path, "m");
  EXPECT_EQ(read.specs[0].digest, "f");
}

TEST(SweepFile, DamageIsNamed) {
  const Folder folder;
  auto errorOf = [&](const std::string &text) -> std::string {
    std::ofstream(folder.path / "sweep.toml") << text;
    try {
      runtime::readSweepFile(folder.path);
    } catch (const std::runtime_error &error) {
      return std::string(error.what()).substr(folder.path.string().size());
    }
    return "";
  };
  const std::string head =
      "options = []\n[[spec]]\npath = 'm'\ndigest = 'f'\n[[axis]]\nname = 'seed'\nvalues = ['0']\n";
  EXPECT_EQ(errorOf(head), "/sweep.toml:1: must have tables 'run', but got none");
  EXPECT_EQ(errorOf(head + "[[run]]\nfolder = 'a'\nvalues = []\ncommand = ''\n"),
            "/sweep.toml:8: a run must have 1 values, one per axis, but got 0");
  for (const std::string name : {"../a", "/a", "a/", "..", ".", ""})
    EXPECT_EQ(errorOf(head + "[[run]]\nfolder = '" + name + "'\nvalues = ['0']\ncommand = ''\n"),
              "/sweep.toml:8: a run's folder must be a name without '/', but got '" + name + "'");
  EXPECT_EQ(errorOf("options = [1]\n"), "/sweep.toml:1: 'options' must hold texts");
  EXPECT_EQ(errorOf("\noptions = 'a'\n"), "/sweep.toml:2: must have a list 'options', but got the type string");
  EXPECT_EQ(errorOf("options = []\nspec = 7\n"), "/sweep.toml:2: must have tables 'spec', but got the type integer");
  EXPECT_TRUE(errorOf("spec = \n").starts_with("/sweep.toml:1: not a TOML file: "));
}

// A run that cannot tell its state has begun: what is wrong is said when it goes on.
TEST(SweepState, IsReadFromTheRun) {
  const Folder folder;
  const fs::path run = folder.path / "run", latest = run / "ckpt" / "latest";
  EXPECT_EQ(stateOf(run), RunState::Absent);
  fs::create_directories(run / "ckpt");
  EXPECT_EQ(stateOf(run), RunState::Begun);
  std::ofstream(run / "run.toml") << "[settings]\nsteps = 40\n";
  std::ofstream(latest) << "00000020\n";
  EXPECT_EQ(stateOf(run), RunState::Begun);
  std::ofstream(latest) << "00000040\n";
  EXPECT_EQ(stateOf(run), RunState::Finished);
  for (const fs::path &file : {latest, run / "run.toml"}) {
    fs::rename(file, run / "kept");
    fs::create_directory(file);
    EXPECT_EQ(stateOf(run), RunState::Begun);
    fs::remove(file);
    ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
    EXPECT_EQ(stateOf(run), RunState::Begun);
    fs::remove(file);
    std::ofstream(file) << "no";
    EXPECT_EQ(stateOf(run), RunState::Begun);
    fs::rename(run / "kept", file);
  }
  EXPECT_EQ(stateOf(run), RunState::Finished);
}

TEST(LogLines, AreThoseOfTheEnd) {
  const Folder folder;
  const std::string log = folder.path / "log";
  EXPECT_EQ(linesBeforeLast(log), "");
  EXPECT_EQ(lastLines(log, 2), "");
  std::ofstream(log) << "one\ntwo\nthree";
  EXPECT_EQ(lastLines(log, 2), "  two\n  three\n");
  EXPECT_EQ(lastLines(log, 8), "  one\n  two\n  three\n");
  EXPECT_EQ(linesBeforeLast(log), "  one\n  two\n");
  fs::resize_file(log, uintmax_t{1} << 40); // sparse
  std::ofstream(log, std::ios::app) << "\nfour\nfive\n";
  EXPECT_EQ(lastLines(log, 2), "  four\n  five\n");
  EXPECT_EQ(lastLines(folder.path, 2), "");
}

} // namespace stretto::tools
