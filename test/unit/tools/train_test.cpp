// Arguments of `stretto train`, sent to the compiler or to the program.
#include "tools/stretto/train.h"

#include "runtime/core/sealed.h"
#include "tools/stretto/error.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace stretto::runtime;
using namespace stretto::tools;

namespace stretto {
namespace {

using Words = std::vector<std::string>;

TrainArguments split(const Words &words) { return splitTrainArguments(words); }

// The text and the status with which words are refused; empty where they are taken.
template <typename Read> std::pair<std::string, int> refusal(Read read, const Words &words) {
  try {
    read(words);
  } catch (const CommandError &error) {
    return {error.what(), error.status};
  }
  return {};
}

TEST(SplitTrainArguments, SendsEachOptionToItsReader) {
  TrainArguments result = split({"--steps", "5", "m.stretto", "--set", "dim=8", "--dtype=f64", "--seed=1"});
  EXPECT_EQ(result.spec, "m.stretto");
  EXPECT_EQ(result.compiler, (Words{"--set", "dim=8", "--dtype=f64"}));
  EXPECT_EQ(result.program, (Words{"--steps", "5", "--seed=1"}));
}

TEST(SplitTrainArguments, SendsTheTaskToBoth) {
  TrainArguments result = split({"m.stretto", "--task", "depo1", "--task-set=n=10"});
  EXPECT_EQ(result.compiler, (Words{"--task", "depo1", "--task-set=n=10"}));
  EXPECT_EQ(result.program, (Words{"--task", "depo1", "--task-set=n=10"}));
}

TEST(SplitTrainArguments, LeavesWhatFollowsTwoDashesToTheProgram) {
  TrainArguments result = split({"m.stretto", "--", "--dtype", "x"});
  EXPECT_TRUE(result.compiler.empty());
  EXPECT_EQ(result.program, (Words{"--dtype", "x"}));
}

TEST(SplitTrainArguments, TakesOneSpecAndOptions) {
  const std::string begin = "arguments must be a spec and options, but got '", end = "' as well";
  for (const auto &[words, text] :
       {std::pair(Words{"a.stretto", "b"}, begin + "b" + end),
        {{"b", "a.stretto"}, begin + "b" + end},
        {{"a.stretto", ""}, begin + end},
        {{"a.stretto", "b=1"}, begin + "b=1" + end + "; --set and --task-set take one setting each"},
        {{"a.stretto", "b.stretto"}, begin + "b.stretto" + end},
        {{"--steps", "5", "a.stretto", "b"}, begin + "b" + end}})
    EXPECT_EQ(refusal(split, words), std::pair(text, 2));
  EXPECT_EQ(refusal(evaluationArguments, {"a.stretto", "b", "--init-from", "w"}),
            std::pair(std::string("arguments must be a run or a spec, and options, but got 'b' as well"), 2));
  EXPECT_EQ(evaluationArguments(Words{"w", "a.stretto"}).spec, "a.stretto");
}

TEST(SplitTrainArguments, RefusesAMissingSpecOrValue) {
  EXPECT_THROW(split({"--steps", "5"}), CommandError);
  EXPECT_THROW(split({"m.stretto", "--set"}), CommandError);
}

// A run directory as far as these commands read it.
struct RunFolder {
  RunFolder() {
    std::filesystem::create_directories(*this / "build");
    std::ofstream(*this / "spec.stretto") << "model m() {}";
    std::ofstream(*this / "run.toml") << "[settings]";
  }
  ~RunFolder() { std::filesystem::remove_all(path); }
  RunFolder(const RunFolder &) = delete;
  RunFolder &operator=(const RunFolder &) = delete;
  std::string operator/(const std::string &name) const { return path + "/" + name; }
  void writeOptions(const std::string &text) const { std::ofstream(*this / "build/options.txt") << sealed(text); }

  const std::string path = std::filesystem::temp_directory_path() / ("stretto-run-" + std::to_string(getpid()));
};

// A run goes on by its own program, or by one that is made of its spec and other options.
TEST(SplitTrainArguments, AResumeNeedsTheFolderAlone) {
  const RunFolder run;
  run.writeOptions("--batch\n4\n--dtype\nbf16\n--target\ncuda\n--emulate\n--set\ndim=8\n");
  const std::string out = run.path;
  for (const std::string &named : {out, out + "/", out + "/ckpt", out + "/ckpt/latest"}) {
    TrainArguments resumed = split({"--resume", "--out", named, "--steps=5"});
    EXPECT_EQ(resumed.resumed, out);
    EXPECT_EQ(resumed.program, (Words{"--resume", "--out", named, "--steps=5"}));
    takeResumedSpec(resumed);
    EXPECT_EQ(resumed.spec, run / "spec.stretto");
    EXPECT_EQ(resumed.compiler,
              (Words{"--batch", "4", "--dtype", "bf16", "--target", "cuda", "--emulate", "--set", "dim=8"}));
  }
  TrainArguments other = split({"--resume=true", "--out", out, "--fuse", "none"});
  EXPECT_EQ(keptProgram(other), "");
  takeResumedSpec(other);
  EXPECT_EQ(other.compiler.back(), "none");
  EXPECT_EQ(split({"m.stretto", "--resume", "--out", out}).resumed, "");
  for (const Words &none : {Words{"--out", out},
                            {"--resume=false", "--out", out},
                            {"--resume", "--out", out + "/new"},
                            {"--resume", "--out", out + "/build"},
                            {"--resume"}})
    EXPECT_THROW(split(none), CommandError);
}

// The stage has what options say of a spec.
TEST(SplitTrainArguments, ARunOfAStageGoesOnByThat) {
  const RunFolder run;
  run.writeOptions("--model\nm\n--batch\n4\n--dtype\nbf16\n--target\ncuda\n--emulate\n--nll-square\n0\n--z-loss\n0\n"
                   "--mask-documents\n--set\ndim=8\n");
  std::ofstream(run / "build/stage.mlir") << "module {}";
  TrainArguments resumed = split({"--resume", "--out", run.path, "--fuse", "none"});
  takeResumedSpec(resumed);
  EXPECT_EQ(resumed.spec, run / "build/stage.mlir");
  EXPECT_EQ(resumed.compiler, (Words{"--batch", "4", "--target", "cuda", "--emulate", "--fuse", "none"}));
  EXPECT_EQ(evaluationArguments(Words{run.path}).compiler, (Words{"--batch", "4", "--target", "cuda", "--emulate"}));
  EXPECT_EQ(evaluationArguments(Words{run.path, "--target", "cpu"}).compiler,
            (Words{"--batch", "4", "--target", "cuda", "--target", "cpu"}));
  run.writeOptions("build/stage.mlir\n--batch\n4\n");
  EXPECT_EQ(evaluationArguments(Words{run.path}).compiler, (Words{"--batch", "4"}));
  std::filesystem::remove(run / "build/stage.mlir");
  EXPECT_EQ(refusal(evaluationArguments, {run.path}),
            std::pair("'" + (run / "build/stage.mlir") +
                          "' must be the stage that the run was compiled from, but is missing: name that stage or a "
                          "spec, and its options, too",
                      2));
}

// The program that a run keeps needs no options, as long as it starts.
TEST(SplitTrainArguments, TheProgramOfARunIsTakenIfItStarts) {
  const RunFolder run;
  const TrainArguments resumed = split({"--resume", "--out", run.path});
  const std::string program = run / "build/program";
  EXPECT_EQ(keptProgram(resumed), "");
  std::ofstream(program) << "#!/bin/sh\n[ \"$*\" = --version ]\n";
  EXPECT_EQ(keptProgram(resumed), "");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  EXPECT_EQ(keptProgram(resumed), program);
  EXPECT_EQ(keptProgram(split({"--resume", "--out", run.path, "--fuse", "none"})), "");
  std::ofstream(program) << "#!/bin/sh\nexit 1\n";
  EXPECT_EQ(keptProgram(resumed), "");
}

// Weights serve any target, and any type of activations.
TEST(EvaluationArguments, LeaveTargetAndTypeOfActivationsToTheUser) {
  const RunFolder run;
  run.writeOptions("--dtype\nbf16\n--target\ncuda\n--emulate\n--decode\n64\n");
  EXPECT_EQ(evaluationArguments(Words{run.path}).compiler, (Words{"--decode", "64"}));
  EXPECT_EQ(evaluationArguments(Words{run.path, "--target", "cpu"}).compiler,
            (Words{"--decode", "64", "--target", "cpu"}));
  run.writeOptions("--dtype\nf64\n--target\ncpu\n");
  EXPECT_EQ(evaluationArguments(Words{run.path}).compiler, (Words{"--dtype", "f64"}));
}

TEST(EvaluationArguments, ARunDirectoryTellsTheRest) {
  const RunFolder run;
  EXPECT_THROW(evaluationArguments(Words{run.path}), CommandError); // without build/options.txt
  const std::string options = sealed("--batch\n4\n--set\ndim=8\n");
  for (const size_t left : {size_t(0), options.find("--set"), options.find('#'), options.size() - 1}) {
    std::ofstream(run / "build/options.txt") << options.substr(0, left);
    EXPECT_THROW(evaluationArguments(Words{run.path}), CommandError) << left;
  }
  std::filesystem::remove(run / "build/options.txt");
  ASSERT_EQ(mkfifo((run / "build/options.txt").c_str(), 0600), 0);
  EXPECT_THROW(evaluationArguments(Words{run.path}), CommandError);
  std::filesystem::remove(run / "build/options.txt");
  std::ofstream(run / "build/options.txt") << options;
  const std::string checkpoint = run / "ckpt/latest";
  const TrainArguments result = evaluationArguments(Words{checkpoint, "--batch", "2"});
  EXPECT_EQ(result.spec, run / "spec.stretto");
  EXPECT_EQ(result.compiler, (Words{"--batch", "4", "--set", "dim=8", "--batch", "2"}));
  EXPECT_EQ(result.program, (Words{"--of-run", run.path, "--init-from", checkpoint, "--steps", "0", "--out", "none",
                                   "--virtual-ranks", "0"}));
  // Another difficulty of the run's task changes nothing of its program; another task is compiled for.
  const auto compiler = [&](Words words) {
    words.insert(words.begin(), run.path);
    return evaluationArguments(words).compiler;
  };
  EXPECT_EQ(compiler({"--task-set", "n=3", "--preset=x", "--task-set=k=1"}), (Words{"--batch", "4", "--set", "dim=8"}));
  EXPECT_EQ(compiler({"--task-set=length=3", "--length", "4"}),
            (Words{"--batch", "4", "--set", "dim=8", "--length", "3", "--length", "4"}));
  EXPECT_EQ(compiler({"--task", "copy", "--task-set", "n=3"}),
            (Words{"--batch", "4", "--set", "dim=8", "--task", "copy", "--task-set", "n=3"}));
  EXPECT_EQ(evaluationArguments(Words{run.path, "--task-set", "n=3"}).program,
            (Words{"--of-run", run.path, "--init-from", run.path, "--task-set", "n=3", "--steps", "0", "--out", "none",
                   "--virtual-ranks", "0"}));
}

TEST(GenerationArguments, PromptsMustBeThere) {
  for (const Words &words : {Words{}, Words{"--prompt", ""}, Words{"--prompt=", "--prompts="}}) {
    Words all = {"m.stretto", "--init-from", "w"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_THROW(generationArguments(all), CommandError);
  }
  EXPECT_EQ(generationArguments(Words{"m.stretto", "--init-from", "w", "--prompt", "1"}).compiler,
            (Words{"--decode", "auto"}));
}

TEST(EvaluationArguments, ASpecIsTakenAsItIs) {
  EXPECT_EQ(evaluationArguments(Words{"m.stretto", "--init-from=w"}).program,
            (Words{"--init-from=w", "--steps", "0", "--out", "none", "--virtual-ranks", "0"}));
  EXPECT_THROW(evaluationArguments(Words{"m.stretto"}), CommandError);
  EXPECT_THROW(evaluationArguments(Words{"--init-from", "/nowhere/at/all"}), CommandError);
}

TEST(EvaluationArguments, WhatOnlyTrainingReadsIsRefused) {
  for (const char *ofTraining : {"--steps", "--out", "--virtual-ranks", "--lr", "--warmup", "--clip", "--accumulate",
                                 "--schedule", "--weight-decay", "--beta1", "--epsilon", "--save-every", "--eval-every",
                                 "--keep", "--final-fraction", "--cooldown"}) {
    const std::string name = ofTraining;
    for (const Words &given : {Words{name, "5"}, Words{name + "=5"}}) {
      Words words{"m.stretto", "--init-from=w"};
      words.insert(words.end(), given.begin(), given.end());
      try {
        evaluationArguments(words);
        ADD_FAILURE() << name << " is taken";
      } catch (const CommandError &error) {
        EXPECT_EQ(error.what(), name + " is for training: eval and generate take no steps and leave no files");
      }
    }
  }
  EXPECT_NO_THROW(evaluationArguments(Words{"m.stretto", "--init-from=w", "--on-nonfinite=skip", "--eval-batches=1"}));
}

TEST(EvaluationArguments, WhatTheOtherCommandReadsIsRefused) {
  const auto scored = [](const Words &words) { evaluationArguments(words); };
  const auto written = [](const Words &words) { generationArguments(words); };
  for (const char *option : {"--prompt=1", "--prompts=p", "--text", "--write=3", "--end-token=5"}) {
    const std::string word = option, name = word.substr(0, word.find('='));
    EXPECT_EQ(refusal(scored, {"m.stretto", "--init-from=w", word}),
              std::pair(name + " is for generate: eval goes on with no prompts", 2));
    EXPECT_EQ(refusal(written, {"m.stretto", "--init-from=w", "--prompt=1", word}), std::pair(std::string(), 0));
  }
  for (const char *option : {"--scores=s", "--eval-batches=3", "--eval-generate=3"}) {
    const std::string word = option, name = word.substr(0, word.find('='));
    EXPECT_EQ(refusal(written, {"m.stretto", "--init-from=w", "--prompt=1", word}),
              std::pair(name + " is for evaluations: generate makes none", 2));
    EXPECT_EQ(refusal(scored, {"m.stretto", "--init-from=w", word}), std::pair(std::string(), 0));
  }
}

} // namespace
} // namespace stretto
