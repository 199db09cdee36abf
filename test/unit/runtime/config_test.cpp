// Settings of a run, from recipes, files and the command line.
#include "runtime/train/config.h"

#include "runtime/core/option_habits.h"
#include "runtime/program/request.h"
#include "runtime/train/changes.h"
#include "runtime/train/config_file.h"
#include "runtime/train/options.h"
#include "test/unit/runtime/small.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

TaskDefaults defaults(const std::string &task, const std::string &) {
  if (task != "copy")
    throw Error("no such task");
  Recipe recipe;
  recipe.steps = 500, recipe.warmup = 50, recipe.learning_rate = 0.25, recipe.beta1 = 0.5, recipe.beta2 = 0.6;
  recipe.epsilon = 1e-7, recipe.clip = INFINITY, recipe.schedule = "linear", recipe.final_fraction = 0.5;
  return {recipe, {{"n", "20"}}};
}

const Origin runFile{Origin::Kind::RunFile, "run.toml"};

RunConfig compose(std::vector<const char *> arguments, std::vector<ConfigLayer> below = {}) {
  arguments.insert(arguments.begin(), "prog");
  below.push_back(parseCommandLine(static_cast<int>(arguments.size()), arguments.data(), "", "")->layer);
  return composeConfig(below, defaults);
}
std::string composeError(std::vector<const char *> arguments) {
  return errorOf([&] { compose(std::move(arguments)); });
}

} // namespace

TEST(Config, TheRecipeLiesUnderTheCommandLine) {
  const RunConfig config = compose({"--task", "copy", "--lr=0.5", "--task-set", "n=30"});
  EXPECT_EQ(config.steps, 500);
  EXPECT_EQ(config.learningRate, 0.5);
  EXPECT_EQ(config.beta1, 0.5);
  EXPECT_TRUE(std::isinf(config.clip));
  EXPECT_EQ(config.taskSettings.at("n"), "30");
  EXPECT_EQ(config.origins.at("lr").text, "command line");
  EXPECT_EQ(config.origins.at("steps").text, "recipe copy");
  EXPECT_EQ(config.origins.at("seed").text, "default");
  EXPECT_EQ(config.taskOrigins.at("n").text, "command line");
}

// Whatever values and their origins are, the file can be read, and has the values.
TEST(Config, AnyTextSurvivesTheRunFile) {
  TemporaryFolder folder;
  RunConfig config = compose({"--task", "copy"});
  config.nllSquare = config.zLoss = 0;
  for (const std::string &text :
       {std::string("\xf0\x9f\x98\x80 \xc3\xa9 \xef\xbf\xbd"), std::string("a\"b\\c\n\t\r\x01\x7f"),
        std::string("'''\"\"\"# x = 1"), std::string("\\u0041")}) {
    config.initFrom = text;
    config.taskSettings = {{"a." + text, text}};
    config.origins["init-from"].text = config.taskOrigins["a." + text].text = "my\nlr = 1\x01\xe9:3";
    EXPECT_EQ(errorOf([&] { checkTexts(config); }), "");
    spill(folder / "run.toml", writeConfigFile(config));
    const ConfigLayer layer = readRunFile(folder.path);
    EXPECT_EQ(layer.options.at("init-from").text, text);
    EXPECT_EQ(layer.taskSettings.at("a." + text).text, text);
  }
  EXPECT_NE(slurp(folder / "run.toml").find("  # my\\x0alr = 1\\x01\\xe9:3\n"), std::string::npos);
  config.taskSettings = {{"n", "w\xe9"}};
  EXPECT_EQ(errorOf([&] { checkTexts(config); }),
            "--task-set must be text in UTF-8, as the run directory has to keep it, but got 'n=w.'");
  config.taskSettings.clear();
  config.initFrom = "\xff";
  EXPECT_NE(errorOf([&] { checkTexts(config); }).find("--init-from must be text in UTF-8"), std::string::npos);
}

TEST(Config, NoNameOrPromptIsEmpty) {
  for (const char *name : {"--tokens", "--prompts", "--scores", "--dump-gradients", "--dump-batch", "--config"})
    EXPECT_EQ(composeError({"--task", "copy", name, ""}), name + std::string(" must name a file, but got ''"));
  for (const char *name : {"--out", "--of-run"})
    EXPECT_EQ(composeError({"--task", "copy", name, ""}), name + std::string(" must name a folder, but got ''"));
  EXPECT_EQ(composeError({"--task", "copy", "--init-from", ""}),
            "--init-from must name a file or a folder, but got ''");
  EXPECT_EQ(composeError({"--task", "copy", "--prompt", ""}), "--prompt must be a text to go on with, but got ''");
  EXPECT_EQ(composeError({"--task", ""}), "--task must name a task, but got ''");
  EXPECT_EQ(composeError({"--task", "copy", "--preset", ""}), "--preset must name a preset, but got ''");
}

TEST(Config, PathsAndPromptsAreGivenOnceOfOtherSettingsTheLastCounts) {
  for (const char *name : {"--init-from", "--config", "--prompts", "--out", "--scores", "--of-run", "--dump-batch"})
    EXPECT_EQ(composeError({"--task", "copy", name, "a", name, "b"}),
              name + std::string(" must be given once, but got 'b' as well"));
  EXPECT_EQ(composeError({"--prompt", "1", "--prompt", "2"}),
            "--prompt must be given once, but got '2' as well; several prompts stand in one with ; between");
  EXPECT_EQ(compose({"--task", "none", "--task", "copy", "--steps", "3", "--steps=4"}).steps, 4);
}

TEST(Config, AnotherTaskTakesNothingFromThatOfTheLayersBelow) {
  const ConfigLayer below = {{{"task", {"mano", runFile}}, {"preset", {"small", runFile}}, {"seed", {"4", runFile}}},
                             {{"l", {"2", runFile}}}};
  const RunConfig config = compose({"--task", "copy", "--task-set", "symbols=9"}, {below});
  EXPECT_EQ(config.preset, "");
  EXPECT_EQ(config.seed, 4);
  EXPECT_EQ(config.taskSettings, (std::map<std::string, std::string>{{"n", "20"}, {"symbols", "9"}}));
}

TEST(Config, APresetTakesThePlaceOfParametersBelow) {
  const ConfigLayer below = {{{"task", {"copy", runFile}}, {"preset", {"", runFile}}}, {{"n", {"5", runFile}}}};
  EXPECT_EQ(compose({"--seed", "1"}, {below}).taskSettings.at("n"), "5");
  EXPECT_EQ(compose({"--preset", "big"}, {below}).taskSettings.at("n"), "20");
  EXPECT_EQ(compose({"--preset", "big", "--task-set", "n=7"}, {below}).taskSettings.at("n"), "7");
  EXPECT_EQ(compose({"--preset", "big"}, {below}).leftOut, std::vector<std::string>());
}

TEST(Config, ParametersOfAFileAreKeptOrToldAsLeftOut) {
  const Origin ownFile{Origin::Kind::OwnFile, "own.toml:2"};
  ConfigLayer file = {{}, {{"n", {"5", ownFile}}}};
  const RunConfig kept = compose({"--task", "copy", "--preset", "big"}, {file});
  EXPECT_EQ(kept.taskSettings.at("n"), "5");
  EXPECT_EQ(kept.leftOut, std::vector<std::string>());
  for (const auto &[option, value] : {std::pair("preset", "small"), {"task", "copy"}, {"task", "mano"}}) {
    file.options = {{option, {value, ownFile}}};
    const RunConfig left = compose({"--task", "copy", "--preset", "big"}, {file});
    EXPECT_EQ(left.taskSettings.at("n"), "20");
    EXPECT_EQ(left.leftOut, std::vector<std::string>{"own.toml:2: 'n' is left out, as the file has it for another task "
                                                     "or preset than that of the run"});
  }
}

TEST(Config, AWrittenRunFileReadsBack) {
  TemporaryFolder folder;
  const RunConfig config = compose({"--task", "copy", "--lr=0.3", "--task-set", "n=3\"0", "--seed", "9"});
  spill(folder / "run.toml", writeConfigFile(config));
  const RunConfig again = compose({}, {readConfigFile(folder / "run.toml")});
  EXPECT_EQ(again.learningRate, 0.3);
  EXPECT_EQ(again.seed, 9);
  EXPECT_EQ(again.taskSettings.at("n"), "3\"0");
  EXPECT_TRUE(std::isinf(again.clip));
  EXPECT_NE(again.origins.at("lr").text.find("run.toml:"), std::string::npos);
}

TEST(Config, AResumeKeepsTheOriginsOfTheRun) {
  TemporaryFolder folder;
  const std::string path = folder / "run.toml";
  const RunConfig first = compose({"--task", "copy", "--clip=3", "--task-set", "n=a# \\\"b"});
  spill(path, writeConfigFile(first));
  RunConfig again = compose({"--lr=0.3"}, {readRunFile(folder.path)});
  EXPECT_TRUE(again.origins.at("clip").text.starts_with(path + ":"));
  keepOrigins(again, folder.path);
  EXPECT_EQ(again.origins.at("clip").text, "command line");
  EXPECT_EQ(again.origins.at("lr").text, "command line");
  EXPECT_EQ(again.origins.at("seed").text, "default");
  EXPECT_EQ(again.origins.at("warmup").text, first.origins.at("warmup").text);
  EXPECT_EQ(again.taskOrigins.at("n").text, "command line");
  again.origins["clip"] = {Origin::Kind::RunFile, "other/run.toml:3"};
  keepOrigins(again, folder.path);
  EXPECT_EQ(again.origins.at("clip").text, "other/run.toml:3");
  keepOrigins(again, folder / "none");
}

TEST(Config, WhatWasChangedReadsBack) {
  TemporaryFolder folder;
  RunConfig config = compose({"--task", "copy", "--lr=0.3"});
  const std::string title = writeConfigFile(config).substr(0, 80);
  config.changed = {{40, "lr", "0.2", "0.3"}, {60, "task.n", "a\"b", ""}};
  spill(folder / "run.toml", writeConfigFile(config));
  EXPECT_EQ(readRunFile(folder.path).changed, config.changed);
  EXPECT_EQ(readConfigFile(folder / "run.toml").changed, config.changed);
  EXPECT_NE(writeConfigFile(config).substr(0, 80), title);
  spill(folder / "own", "[[changed]]\nat_step = 4\nsetting = \"lr\"\nfrom = 1\nto = \"2\"\n");
  EXPECT_NE(errorOf([&] { readConfigFile(folder / "own"); }).find("own:1: what was changed must have"),
            std::string::npos);
}

// A run may go back behind a change, as the newest checkpoint is damaged.
TEST(Config, ChangesOfStepsThatAreMadeAnewCountFromThere) {
  const std::vector<SettingChange> before = {{20, "lr", "1", "2"}, {40, "lr", "2", "3"}, {40, "clip", "5", "6"}};
  EXPECT_EQ(changedAt(50, before, {{0, "lr", "3", "4"}}).back(), (SettingChange{50, "lr", "3", "4"}));
  EXPECT_EQ(changedAt(30, before, {{0, "lr", "3", "4"}}),
            (std::vector<SettingChange>{{20, "lr", "1", "2"}, {30, "lr", "2", "4"}, {30, "clip", "5", "6"}}));
  EXPECT_EQ(changedAt(40, before, {{0, "clip", "6", "5"}}),
            (std::vector<SettingChange>{{20, "lr", "1", "2"}, {40, "lr", "2", "3"}}));
}

TEST(Config, MoreStepsOfAConstantRateAreNoOtherSteps) {
  const RunConfig cosine = compose({"--task", "copy"}), constant = compose({"--task", "copy", "--schedule=constant"});
  EXPECT_TRUE(changeSteps({{0, "steps", "4", "5"}}, cosine));
  EXPECT_FALSE(changeSteps({{0, "steps", "4", "5"}, {0, "keep", "1", "2"}}, constant));
  EXPECT_TRUE(changeSteps({{0, "steps", "4", "5"}, {0, "lr", "1", "2"}}, constant));
}

// Cut in any line or behind it, or with a byte changed, what a run wrote is refused, also where it is given as
// --config.
TEST(Config, ARunFileThatWasCutOrChangedIsRefused) {
  TemporaryFolder folder;
  const std::string good = writeConfigFile(compose({"--task", "copy", "--lr=0.3"})), path = folder / "run.toml";
  const size_t title = good.find('\n');
  for (size_t at = 0; at < good.size(); at += good[at] == '\n' ? 1 : std::min<size_t>(9, good.find('\n', at) - at)) {
    spill(path, good.substr(0, at));
    EXPECT_NE(errorOf([&] { readRunFile(folder.path); }).find("was cut or changed"), std::string::npos) << at;
    if (at >= title) {
      EXPECT_NE(errorOf([&] { readConfigFile(path); }).find("was cut or changed"), std::string::npos) << at;
    }
    std::string changed = good;
    changed[at] ^= 1;
    spill(path, changed);
    EXPECT_NE(errorOf([&] { readRunFile(folder.path); }).find("was cut or changed"), std::string::npos) << at;
  }
  spill(path, good);
  EXPECT_EQ(readRunFile(folder.path).options.at("lr").text, "0.3");
  spill(path, good.substr(title + 1) + "steps = 7\n"); // somebody made it his own
  EXPECT_NE(errorOf([&] { readRunFile(folder.path); }), "");
}

TEST(Config, AFileOfTheUserNeedsNoSeal) {
  TemporaryFolder folder;
  spill(folder / "own.toml", "[settings]\ntask = \"copy\"\nsteps = 7\n");
  EXPECT_EQ(compose({}, {readConfigFile(folder / "own.toml")}).steps, 7);
}

// Nothing, the recipe, the command line: what asks for a term of the loss. What the program was compiled with counts.
TEST(Config, TheLossIsThatOfTheProgram) {
  stretto_program program{};
  program.nll_square = 1e-4;
  program.lr_factors = "embed*=0.5", program.weight_decay_factors = "";
  RunConfig config = compose({"--task", "copy"});
  EXPECT_EQ(writeConfigFile(config).find("nll-square"), std::string::npos) << "nobody says";
  settleCompiled(config, program);
  EXPECT_EQ(config.nllSquare, 1e-4);
  EXPECT_EQ(config.zLoss, 0);
  EXPECT_EQ(config.lrFactors, "embed*=0.5");
  EXPECT_NE(writeConfigFile(config).find("nll-square = 0.0001  # program\nz-loss = 0  # program\n"), std::string::npos);

  RunConfig same = compose({"--task", "copy", "--nll-square=1e-4"});
  settleCompiled(same, program);
  EXPECT_EQ(same.origins.at("nll-square").text, "command line");
  RunConfig other = compose({"--task", "copy", "--z-loss", "0.5"});
  EXPECT_EQ(
      errorOf([&] { settleCompiled(other, program); }),
      "--z-loss must be the 0 that the model was compiled with, but got 0.5 (command line); compile for it: stretto "
      "compile SPEC --z-loss 0.5");

  RunConfig otherFactors = compose({"--task", "copy", "--lr-factors", "embed*=2"});
  EXPECT_NE(errorOf([&] { settleCompiled(otherFactors, program); }).find("--lr-factors must be the 'embed*=0.5' that"),
            std::string::npos);

  auto withTerm = [](const std::string &, const std::string &) {
    TaskDefaults defaults;
    defaults.recipe.steps = 1;
    defaults.recipe.nll_square = 0.25;
    return defaults;
  };
  RunConfig ofRecipe = composeConfig({{{{"task", {"copy", {}}}}, {}}}, withTerm);
  EXPECT_EQ(ofRecipe.zLoss, std::nullopt);
  EXPECT_NE(errorOf([&] { settleCompiled(ofRecipe, program); }).find("but got 0.25 (recipe copy)"), std::string::npos);
}

TEST(Config, WholeNumbersMayHaveExponents) {
  EXPECT_EQ(compose({"--task", "copy", "--steps", "1e3"}).steps, 1000);
  EXPECT_EQ(compose({"--task", "copy", "--steps", "2.5e3", "--seed", "9007199254740993"}).steps, 2500);
  EXPECT_EQ(compose({"--task", "copy", "--seed", "9007199254740993"}).seed, 9007199254740993);
  for (const char *text : {"1e-3", "2.5", "1e400", "inf", "nan", "1e17", "1e3x", ""})
    EXPECT_NE(composeError({"--task", "copy", "--steps", text}).find("--steps must be an integer in"),
              std::string::npos)
        << text;
}

TEST(Config, NamesFromElsewhereAreAnswered) {
  for (const auto &[name, ours] : {std::pair("--learning-rate", "--lr"),
                                   {"--learning_rate=1", "--lr"},
                                   {"--warmup_steps", "--warmup"},
                                   {"--weight_decay", "--weight-decay"},
                                   {"--Seed", "--seed"},
                                   {"--grad-clip", "--clip"}})
    EXPECT_NE(composeError({"--task", "copy", name}).find(std::string("did you mean '") + ours + "'?"),
              std::string::npos)
        << name;
  EXPECT_EQ(composeError({"--epochs", "3"}),
            "unknown option '--epochs'; did you mean '--steps'? (the data of a task has no end, so "
            "that there are no epochs)");
  EXPECT_EQ(composeError({"--batch-size=8"}),
            "unknown option '--batch-size'; the program was compiled with its batch: another "
            "makes another program, by stretto train SPEC --batch ...");
}

// Whatever `stretto train` hands on is taken, as the table says.
TEST(Config, TheHelpShowsEachOptionOfTheTable) {
  const std::string help = programOptionsHelp();
  for (const ProgramOption &option : programOptions) {
    const std::string name(option.name), value(option.value);
    EXPECT_NE(help.find(value.empty() ? name : name + " " + value), std::string::npos) << name;
  }
}

TEST(Config, TheHelpOfAProgramNamesItsDevices) {
  for (const Setting &setting : settings()) {
    EXPECT_EQ(setting.help.find('{'), std::string::npos) << setting.help;
    if (setting.name == "device") {
      EXPECT_NE(setting.help.find("cpu"), std::string::npos) << setting.help;
    }
  }
}

// What a name is answered with is an option.
TEST(Config, HabitsLeadToOptions) {
  std::vector<std::string> names = {"task-set", "batch", "length", "vocab", "dtype", "target", "set"};
  for (const Setting &setting : settings())
    names.push_back(setting.name);
  for (const OptionHabit &habit : optionHabits) {
    EXPECT_NE(std::ranges::find(names, habit.ours), names.end()) << habit.name;
    EXPECT_EQ(std::ranges::find(names, habit.name), names.end()) << habit.name;
  }
}

TEST(Config, AShortRunWarmsUpForATenth) {
  const RunConfig config = compose({"--task", "copy", "--steps", "20"});
  EXPECT_EQ(config.warmup, 2);
  EXPECT_EQ(config.origins.at("warmup").text, "recipe copy, cut to a tenth of the steps");
  EXPECT_EQ(composeError({"--task", "copy", "--steps", "20", "--warmup", "30"}),
            "--warmup must be at most --steps, but got 30 and 20");
}

// The recipe warms up for 50 of 500 steps.
TEST(Config, AResumeOfOtherStepsSettlesTheWarmupAnew) {
  TemporaryFolder folder;
  const auto resume = [&](const std::vector<const char *> &first, const std::vector<const char *> &then) {
    spill(folder / "run.toml", writeConfigFile(compose(first)));
    RunConfig config = compose(then, {readRunFile(folder.path)});
    keepOrigins(config, folder.path);
    return config;
  };
  RunConfig config = resume({"--task", "copy", "--steps", "20"}, {"--steps", "200"});
  EXPECT_EQ(config.warmup, 50);
  EXPECT_EQ(config.origins.at("warmup").text, "recipe copy");
  EXPECT_EQ(changesOf(readRunFile(folder.path), config),
            (std::vector<SettingChange>{{0, "steps", "20", "200"}, {0, "warmup", "2", "50"}}));
  config = resume({"--task", "copy"}, {"--steps", "30"});
  EXPECT_EQ(config.warmup, 3);
  EXPECT_EQ(config.origins.at("warmup").text, "recipe copy, cut to a tenth of the steps");
  config = resume({"--task", "copy", "--steps", "20"}, {"--steps", "20", "--lr", "0.5"});
  EXPECT_EQ(config.warmup, 2);
  EXPECT_EQ(config.origins.at("warmup").text, "recipe copy, cut to a tenth of the steps");
  EXPECT_EQ(resume({"--task", "copy", "--steps", "20", "--warmup", "4"}, {"--steps", "200"}).warmup, 4);
  RunConfig named = compose({"--task", "copy", "--steps", "20", "--warmup", "4"});
  named.origins["warmup"].text = "recipe copy:3"; // a file of the user
  spill(folder / "run.toml", writeConfigFile(named));
  EXPECT_EQ(compose({"--steps", "200"}, {readRunFile(folder.path)}).warmup, 4);
}

// Only a run that is still within its warm-up, or is to end there, gets another.
TEST(Config, AWarmupThatLiesBehindIsKept) {
  TemporaryFolder folder;
  spill(folder / "run.toml", writeConfigFile(compose({"--task", "copy", "--steps", "20"})));
  ConfigLayer run = readRunFile(folder.path);
  for (const auto &[step, steps, warmup] : std::vector<std::tuple<int64_t, const char *, int64_t>>{
           {1, "200", 50}, {2, "200", 2}, {20, "2e2", 2}, {20, "1", 0}}) {
    run.step = step;
    EXPECT_EQ(compose({"--steps", steps}, {run}).warmup, warmup) << step << " of " << steps;
  }
}

TEST(Config, WhatTheFirstStepWritesNeedsAStep) {
  for (const std::string option : {"--dump-batch", "--dump-gradients"}) {
    EXPECT_EQ(composeError({"--task", "copy", "--steps", "0", option.c_str(), "file"}),
              option + " needs a step of training, but the run has none");
    EXPECT_EQ(compose({"--task", "copy", "--steps", "1", option.c_str(), "file"}).steps, 1);
  }
}

TEST(Config, AFileIsNoRecipeWhateverItIsCalled) {
  TemporaryFolder folder;
  spill(folder / "recipe.toml", "[settings]\nsteps = 50\nwarmup = 100\n");
  ConfigLayer own = readConfigFile(folder / "recipe.toml");
  own.options.at("warmup").origin.text = "recipe.toml:3"; // as in the folder of the file
  EXPECT_EQ(errorOf([&] { compose({"--task", "copy"}, {own}); }),
            "recipe.toml:3: --warmup must be at most --steps, but got 100 and 50");
}

// Who asks for another length than the program's is refused; what recipes and runs say of it is that of their programs.
TEST(Config, TheLengthIsThatOfTheProgram) {
  TemporaryFolder folder;
  const ModelShape model{.target = "x86-64", .length = 64, .vocabulary = 9};
  const auto settled = [&](const std::string &text) {
    spill(folder / "own.toml", text);
    RunConfig config = compose({"--task", "copy"}, {readConfigFile(folder / "own.toml")});
    settleLength(config, model);
    return config;
  };
  RunConfig config = settled("[task]\nlength = 64.0\n");
  EXPECT_EQ(config.taskOrigins.at("length").kind, Origin::Kind::OwnFile);
  EXPECT_EQ(errorOf([&] { settled("[task]\nlength = 32\n"); }),
            folder / "own.toml" + ":2: the length must be the 64 that the model was compiled for, but got 32; compile "
                                  "for it: stretto compile SPEC --length 32");
  config.taskSettings["length"] = "32";
  config = settled(writeConfigFile(config));
  EXPECT_EQ(config.taskSettings.at("length"), "64");
  EXPECT_EQ(config.taskOrigins.at("length").kind, Origin::Kind::Program);
}

// run.toml has all parameters of the task, those that nobody names as defaults; a resume compares them.
TEST(Config, ARunKeepsEveryParameterOfItsTask) {
  TemporaryFolder folder;
  RunConfig config = compose({"--task", "copy", "--task-set", "symbols=9"});
  settleParameters(config, {{"n", "1"}, {"symbols", "1"}, {"lists", ""}});
  spill(folder / "run.toml", writeConfigFile(config));
  EXPECT_NE(slurp(folder / "run.toml")
                .find("[task]\n\"lists\" = \"\"  # default\n\"n\" = \"20\"  # recipe copy\n\"symbols\" = \"9\"  # "
                      "command line\n"),
            std::string::npos);
  const ConfigLayer run = readRunFile(folder.path);
  RunConfig again = compose({}, {run});
  EXPECT_EQ(changesOf(run, again), std::vector<SettingChange>());
  keepOrigins(again, folder.path);
  EXPECT_EQ(again.taskOrigins.at("lists").text, "default");
  EXPECT_EQ(changesOf(run, compose({"--task-set", "lists=own"}, {run})),
            (std::vector<SettingChange>{{0, "task.lists", "", "own"}}));
}

// Where the program's length is what a task refuses, the message says so.
TEST(Config, ALengthThatATaskRefusesIsThatOfTheProgram) {
  const auto errorFor = [](const std::string &parameter) {
    const TaskRegistry tasks{[&](const std::string &, const auto &) -> std::unique_ptr<Task> {
                               throw TaskError("parameter 'length' is told of", parameter);
                             },
                             defaults};
    return errorOf([&] { makeTask(compose({"--task", "copy"}), {.target = "", .length = 64}, tasks); });
  };
  EXPECT_EQ(errorFor("n"), "parameter 'length' is told of");
  EXPECT_NE(errorFor("length").find("is told of (the model was compiled for length 64; another"), std::string::npos);
}

TEST(Config, BadValuesAreRefusedWithTheirRange) {
  EXPECT_EQ(composeError({"--task", "copy", "--steps", "many"}),
            "--steps must be an integer in 0..1000000000000000, but got 'many'");
  EXPECT_EQ(composeError({"--task", "copy", "--keep", "0"}), "--keep must be an integer in 1..1000000, but got '0'");
  EXPECT_EQ(composeError({"--task", "copy", "--lr", "nan"}), "--lr must be a number in 0..1000000, but got 'nan'");
  for (const char *text : {"-1", "nan", "inf", "1x", ""})
    EXPECT_EQ(composeError({"--task", "copy", "--z-loss", text}),
              "--z-loss must be a number in 0..1000000, but got '" + std::string(text) + "'");
  EXPECT_EQ(composeError({"--task", "copy", "--lr", "1x"}), "--lr must be a number in 0..1000000, but got '1x'");
  EXPECT_EQ(composeError({"--task", "copy", "--schedule", "lienar"}),
            "--schedule must be constant, linear, cosine or 1-sqrt, but got 'lienar'; did you mean 'linear'?");
  EXPECT_EQ(composeError({"--task", "copy", "--schedule", "wsd-xyzzy"}),
            "--schedule must be constant, linear, cosine or 1-sqrt, but got 'wsd-xyzzy'");
  EXPECT_EQ(composeError({"--task", "copy", "--task-set", "n"}),
            "--task-set must have the form name=value, but got 'n'");
  EXPECT_EQ(composeError({"--task", "copy", "--steps"}), "--steps needs a value");
  EXPECT_EQ(composeError({"--task", "copy", "--out="}), "--out must name a folder, but got ''");
  EXPECT_EQ(composeError({"--task", "copy", "--seed=", "--steps", "0"}),
            "--seed must be an integer in 0..9223372036854775807, but got ''");
  EXPECT_EQ(composeError({"--task", "copy", "--quiet="}), "--quiet takes no value, but got ''");
  EXPECT_EQ(compose({"--task", "copy", "--prompt", "--x="}).prompt, "--x=");
  EXPECT_EQ(compose({"--task", "copy", "--prompt=--x="}).prompt, "--x=");
  EXPECT_EQ(composeError({"--task-set"}), "--task-set needs a value");
  EXPECT_EQ(composeError({"--tsak", "copy"}), "unknown option '--tsak'; did you mean '--task'?");
  EXPECT_EQ(composeError({"copy"}), "arguments must be options, but got 'copy'");
  EXPECT_EQ(composeError({"layers=1"}),
            "arguments must be options, but got 'layers=1'; --set and --task-set take one setting each");
  EXPECT_EQ(composeError({}), "a run needs data: give --task NAME (or --tokens FILE)");
  EXPECT_EQ(composeError({"--task", "copy", "--tokens", "x"}),
            "--task and --tokens must not be given together, but got 'copy' (command line) and 'x' (command line)");
}

TEST(Config, RunFilesNameTheLine) {
  TemporaryFolder folder;
  auto error = [&](const std::string &content) {
    spill(folder / "f", content);
    return errorOf([&] { compose({}, {readConfigFile(folder / "f")}); });
  };
  const std::string path = folder / "f";
  EXPECT_NE(error("[settings]\ntask = \"copy\"\nlearning-speed = 1\n")
                .find(":3: a setting must be an option, but got 'learning-speed'"),
            std::string::npos);
  EXPECT_EQ(error("[settings]\ntask = \"copy\"\nstep = 1\n"),
            path + ":3: a setting must be an option, but got 'step'; did you mean 'steps'?");
  EXPECT_EQ(error("[settings]\ntask = \"copy\"\nlr = -1\n"),
            path + ":3: --lr must be a number in 0..1000000, but got '-1'");
  EXPECT_EQ(error("[setings]\n"),
            path + ":1: a run file must hold the tables [settings] and [task], but got 'setings'");
  EXPECT_NE(error("[settings\n").find(":1: not a TOML file"), std::string::npos);
  std::string key = "a";
  for (int i = 0; i < 200000; ++i)
    key += ".a";
  EXPECT_EQ(error("[settings]\n" + key + " = 1\n"),
            path + ":2: not a TOML file: a key must have at most 16 parts, but got more");
}
