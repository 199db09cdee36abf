// The list of tasks, their parameters and presets.
#include "Support.h"
#include "tasks/recipes.h"
#include "tasks/tokens/token_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;
using namespace stretto::test;

static std::string makeError(const std::string &name, const std::map<std::string, std::string> &settings) {
  return errorOf([&] { makeTask(name, settings); });
}

TEST(Registry, errorsNameTheNearest) {
  EXPECT_EQ(makeError("depo", {}), "no task is called 'depo'; did you mean 'depo1'?");
  EXPECT_EQ(makeError("zzzzzz", {}),
            "no task is called 'zzzzzz'; known: brevo1, brevo2, capo, copy, depo1, depo2, hops, lano, mano, tokens");
  EXPECT_EQ(makeError("depo1", {{"querys", "3"}}), "task 'depo1': has no parameter 'querys'; did you mean 'queries'?");
}

TEST(Registry, valuesAreChecked) {
  EXPECT_EQ(makeError("depo1", {{"n", "2"}}), "task 'depo1': parameter 'n' must lie in 3..1048576, but got 2");
  EXPECT_EQ(makeError("depo1", {{"n", "20x"}}), "task 'depo1': parameter 'n' must be an integer, but got '20x'");
  EXPECT_EQ(makeError("depo1", {{"n", ""}}), "task 'depo1': parameter 'n' must be an integer, but got ''");
  EXPECT_EQ(makeError("depo1", {{"n", "-99999999999999999999"}}),
            "task 'depo1': parameter 'n' must lie in 3..1048576, but got -99999999999999999999");
}

static std::string refusedParameter(const std::map<std::string, std::string> &settings) {
  try {
    makeTask("depo1", settings);
  } catch (const TaskError &error) {
    return error.parameter;
  }
  return "";
}

TEST(Registry, errorsSayWhichParameterIsRefused) {
  EXPECT_EQ(refusedParameter({{"n", "2"}}), "n");
  EXPECT_EQ(refusedParameter({{"length", "959"}}), "length");
  EXPECT_EQ(refusedParameter({{"lengths", "959"}}), "");
}

TEST(Registry, wholeNumbersMayHaveExponents) {
  for (const char *text : {"2e1", "20.0"})
    EXPECT_EQ(makeTask("depo1", {{"n", text}})->settings(), makeTask("depo1", {{"n", "20"}})->settings()) << text;
  EXPECT_NE(makeTask("depo1", {{"n", "2e1"}})->settings(), makeTask("depo1", {{"n", "21"}})->settings());
  EXPECT_EQ(makeError("depo1", {{"n", "2e-1"}}), "task 'depo1': parameter 'n' must be an integer, but got '2e-1'");
}

TEST(Registry, wordsAndTexts) {
  const std::vector<ParameterInfo> infos = {ParameterInfo::word("order", {"random", "sorted"}, ""),
                                            ParameterInfo::text("file", "", "")};
  EXPECT_EQ(Parameters("t", infos, {}).text(), (std::map<std::string, std::string>{{"order", "random"}, {"file", ""}}));
  Parameters given("t", infos, {{"order", "sorted"}, {"file", "a b"}});
  EXPECT_EQ(given.word("order"), "sorted");
  EXPECT_EQ(given.word("file"), "a b");
  EXPECT_EQ(errorOf([&] { Parameters("t", infos, {{"order", "sort"}}); }),
            "task 't': parameter 'order' must be random|sorted, but got 'sort'; did you mean 'sorted'?");
}

TEST(Registry, valuesMustGoTogether) {
  EXPECT_EQ(makeError("depo1", {{"length", "959"}}), "task 'depo1': parameter 'length' must be at least 960 for the "
                                                     "longest possible instance, of 961 tokens, to fit, but got 959");
  EXPECT_EQ(makeError("depo1", {{"length", "960"}}), "");
  EXPECT_EQ(makeError("depo1", {{"r_min", "3"}}),
            "task 'depo1': parameter 'r_max' must be at least r_min=3, but got 2");
  EXPECT_EQ(makeError("depo1", {{"v", "4500"}, {"r_max", "9"}, {"length", "9000"}}),
            "task 'depo1': parameters must keep v^r_max below 2^62, but got v=4500, r_max=9");
  EXPECT_EQ(makeError("depo1", {{"r_max", "1"}, {"n", "51"}}),
            "task 'depo1': parameter 'n' must be at most 50, the number of names that v, r_min and r_max allow, "
            "but got 51");
  EXPECT_EQ(makeError("copy", {{"n", "501"}}), "task 'copy': parameter 'symbols' must be at least n=501, but got 500");
}

// What a task cannot do without.
static std::map<std::string, std::string> neededSettings(const std::string &task) {
  if (task != "tokens")
    return {};
  const std::string path = ::testing::TempDir() + "registry.tokens";
  std::ofstream out(path, std::ios::binary);
  const std::vector<int32_t> tokens(65536, 1);
  const TokenHeader header = {.vocabulary = 2, .count = 65536};
  writeTokenHeader(out, header);
  writeTokens(out, header, tokens);
  return {{"file", path}};
}

TEST(Registry, settingsRebuildTheTask) {
  for (const TaskInfo &info : listTasks()) {
    auto needed = neededSettings(info.name);
    auto task = makeTask(info.name, needed);
    EXPECT_EQ(task->name(), info.name);
    EXPECT_EQ(task->settings().size(), info.parameters.size());
    for (const ParameterInfo &parameter : info.parameters)
      if (!needed.contains(parameter.name)) {
        EXPECT_EQ(task->settings().at(parameter.name), parameter.fallbackAsText());
      }
    EXPECT_EQ(makeTask(info.name, task->settings())->settings(), task->settings());
  }
}

TEST(Registry, idsHaveMeanings) {
  auto meanings = [](const std::string &name, const std::map<std::string, std::string> &settings) {
    auto task = makeTask(name, settings);
    std::string all;
    for (int32_t id = 0; id < task->vocabulary(); ++id)
      all += (id ? "; " : "") + task->meaning(id);
    return all;
  };
  EXPECT_EQ(meanings("copy", {{"n", "2"}, {"symbols", "3"}}), "begin; query; symbol 1; symbol 2; symbol 3");
  EXPECT_EQ(meanings("depo1", {{"n", "3"}, {"k", "2"}, {"v", "2"}, {"queries", "1"}}),
            "begin; answer; query k=1; query k=2; letter 1; letter 2; last letter 1; last letter 2");
  EXPECT_EQ(meanings("brevo1", {{"n", "3"}, {"v", "3"}}),
            "begin; query; answer; end; last letter 1; last letter 2; last letter 3");
  EXPECT_EQ(meanings("mano", {{"l", "2"}, {"modulus", "2"}, {"doubled", "no"}}),
            "begin; operator +; operator -; operator *; length 1; length 2; answer 1; answer 2; number 0; number 1");
  EXPECT_EQ(meanings("mano", {{"l", "1"}, {"modulus", "2"}}),
            "begin; begin, its other id; operator +; operator +, its other id; operator -; operator -, its other id; "
            "operator *; operator *, its other id; length 1; length 1, its other id; answer 1; answer 1, its other id; "
            "number 0; number 1");
}

TEST(Registry, noTwoIdsMeanTheSame) {
  for (const TaskInfo &info : listTasks())
    if (info.name != "tokens") { // ids of a file mean what its writer knows
      auto task = makeTask(info.name, {});
      std::set<std::string> meanings;
      for (int32_t id = 0; id < task->vocabulary(); ++id)
        EXPECT_TRUE(meanings.insert(task->meaning(id)).second) << info.name << " " << id << " " << task->meaning(id);
      EXPECT_FALSE(meanings.contains("")) << info.name;
    }
}

TEST(Registry, idsHaveTexts) {
  auto texts = [](const std::string &name, const std::map<std::string, std::string> &settings) {
    auto task = makeTask(name, settings);
    std::string all;
    for (int32_t id = 0; id < task->vocabulary(); ++id)
      all += (id ? "|" : "") + task->text(id);
    return all;
  };
  EXPECT_EQ(texts("copy", {{"n", "2"}, {"symbols", "3"}}), "<begin> |<query> |1 |2 |3 ");
  const std::map<std::string, std::string> letters = {{"n", "3"}, {"k", "2"}, {"v", "2"}, {"queries", "1"}};
  EXPECT_EQ(texts("depo1", letters), "<begin> |<answer> |<k=1> |<k=2> |a|b|a |b ");
  EXPECT_EQ(texts("brevo1", {{"n", "3"}, {"v", "3"}}), "<begin> |<query> |<answer> |<end> |a |b |c ");
  EXPECT_EQ(makeTask("depo1", {})->text(10) + makeTask("depo1", {})->text(60), "1.1 ") << "large alphabets";
  EXPECT_EQ(texts("mano", {{"l", "1"}, {"modulus", "2"}}),
            "<begin> |<begin>' |+ |+' |- |-' |* |*' |<length=1> |<length=1>' |<answer=1> |<answer=1>' |0 |1 ");
  EXPECT_EQ(texts("lano", {{"grammar", "small"}, {"length", "64"}}).substr(0, 8), "<begin> ");
  EXPECT_EQ(makeTask("hops", {})->text(0), " <begin>");
  EXPECT_EQ(makeTask("tokens", neededSettings("tokens"))->text(1), "1 ");
}

TEST(Registry, noTwoIdsHaveTheSameText) {
  for (const TaskInfo &info : listTasks()) {
    auto task = makeTask(info.name, neededSettings(info.name));
    std::set<std::string> texts;
    for (int32_t id = 0; id < task->vocabulary(); ++id)
      EXPECT_TRUE(texts.insert(task->text(id)).second) << info.name << " " << id << " " << task->text(id);
  }
}

// "id: meaning" of the first id that means something else to the second task; empty where none does.
static std::string firstOther(const std::string &name, std::map<std::string, std::string> settings,
                              const std::string &parameter, const std::string &value) {
  const auto before = makeTask(name, settings);
  settings[parameter] = value;
  const auto after = makeTask(name, settings);
  for (int32_t id = 0; id < std::min(before->vocabulary(), after->vocabulary()); ++id)
    if (before->meaning(id) != after->meaning(id))
      return std::to_string(id) + ": " + before->meaning(id) + ", then " + after->meaning(id);
  return "";
}

TEST(Registry, meaningsFollowTheParametersThatIdsDependOn) {
  EXPECT_EQ(firstOther("mano", {}, "l", "8"), "24: length 9, then answer 1");
  EXPECT_EQ(firstOther("mano", {{"l", "2"}, {"doubled", "no"}}, "l", "1"), "5: length 2, then answer 1");
  EXPECT_EQ(firstOther("mano", {}, "l_evaluation", "5"), "");
  EXPECT_EQ(firstOther("mano", {}, "modulus", "7"), "") << "the last ids";
  EXPECT_EQ(firstOther("depo1", {}, "k", "2"), "4: query k=3, then letter 1");
  EXPECT_EQ(firstOther("depo1", {}, "n", "20"), "");
  EXPECT_EQ(firstOther("depo2", {}, "v", "2"), "20: letter 3, then last letter 1");
  EXPECT_EQ(firstOther("depo2", {}, "r_max", "6"), "");
  EXPECT_EQ(firstOther("brevo2", {{"n", "4"}, {"r_min", "1"}}, "r_max", "1"), "4: letter 1, then last letter 1");
  EXPECT_EQ(firstOther("brevo1", {{"n", "20"}}, "v", "30"), "") << "the last ids";
  EXPECT_EQ(firstOther("copy", {}, "n", "20"), "");
  EXPECT_NE(firstOther("hops", {}, "names", "20"), "");
  EXPECT_NE(firstOther("hops", {}, "hops", "2"), "");
  EXPECT_EQ(firstOther("hops", {}, "people", "3"), "");
  EXPECT_EQ(firstOther("lano", {}, "grammar", "cfg3b"), "") << "the terminals of both are 1 2 3";
  EXPECT_EQ(firstOther("capo", {}, "n", "1000"), "");
}

TEST(Recipes, everyTaskHasPresetsThatWork) {
  for (const TaskInfo &info : listTasks())
    for (const Preset &preset : presetsOf(info.name)) {
      auto settings = neededSettings(info.name);
      settings.insert(preset.settings.begin(), preset.settings.end());
      auto task = makeTask(info.name, settings);
      EXPECT_EQ(task->length(), preset.recipe.length) << info.name << " " << preset.name;
      EXPECT_LT(preset.recipe.warmup, preset.recipe.steps);
      EXPECT_FALSE(preset.about.empty());
      EXPECT_FALSE(preset.source.empty()) << info.name << " " << preset.name;
    }
}

// The constants of the paper's table.
TEST(Recipes, paperConstants) {
  Preset preset = findPreset("depo2", "N=100");
  const Recipe &recipe = preset.recipe;
  EXPECT_EQ(recipe.batch, 128);
  EXPECT_EQ(recipe.length, 2048);
  EXPECT_EQ(recipe.steps, 125000);
  EXPECT_EQ(recipe.warmup, 1000);
  EXPECT_EQ(recipe.schedule, "cosine");
  EXPECT_EQ(recipe.final_fraction, 0.1);
  EXPECT_EQ(recipe.weight_decay, 0.03);
  EXPECT_EQ(recipe.beta1, 0.9);
  EXPECT_EQ(recipe.beta2, 0.98);
  EXPECT_EQ(recipe.epsilon, 1e-6);
  EXPECT_TRUE(std::isinf(recipe.clip));
  EXPECT_EQ(preset.learningRates, (std::vector<double>{3e-4, 5e-4, 1e-3, 2e-3}));
  EXPECT_EQ(preset.settings, (std::map<std::string, std::string>{{"k", "16"}, {"length", "2048"}, {"n", "100"}}));
  EXPECT_EQ(recipeFor("depo1").steps, 87500) << "the first preset is the default";

  preset = findPreset("lano", "cfg3k");
  EXPECT_EQ(preset.recipe.batch, 96);
  EXPECT_EQ(preset.recipe.length, 1536);
  EXPECT_EQ(preset.recipe.steps, 100000);
  EXPECT_EQ(preset.recipe.warmup, 0);
  EXPECT_EQ(preset.recipe.schedule, "linear");
  EXPECT_EQ(preset.recipe.final_fraction, 0);
  EXPECT_EQ(preset.recipe.weight_decay, 0.1);
  EXPECT_EQ(preset.learningRates, (std::vector<double>{2e-4, 3e-4, 5e-4, 1e-3}));
  EXPECT_EQ(recipeFor("lano").length, 512) << "cfg3f is the first one";
}

// The runs of the second generation: tokens of a run, rates with their weight decays, terms of the loss.
TEST(Recipes, runsOnTexts) {
  struct Case {
    const char *preset;
    int64_t batch, length, steps, warmup;
    std::vector<double> rates, decays;
    std::optional<double> nllSquare;
  };
  for (const Case &c : {Case{"llama-1B", 1024, 4096, 240000, 8000, {2e-3, 3e-3}, {0.02, 0.0133}, 1e-4},
                        Case{"llama-1B-2T", 2048, 4096, 240000, 8000, {3e-3, 5e-3}, {0.0133, 0.008}, 1e-4},
                        Case{"llama-3B", 1536, 4096, 160000, 4000, {2e-3, 3e-3}, {0.03, 0.02}, 1e-4},
                        Case{"llama-8B", 1536, 4096, 160000, 3000, {2e-3, 3e-3}, {0.03, 0.02}, {}},
                        Case{"linear-1B", 128, 16384, 480000, 12000, {2e-3, 3e-3, 5e-3}, {0.01, 0.00667, 0.004}, {}},
                        Case{"linear-3B", 256, 12288, 320000, 8000, {2e-3, 3e-3, 5e-3}, {0.005, 0.01, 0.006}, {}},
                        Case{"linear-8B", 512, 4096, 480000, 9000, {2e-3, 3e-3}, {0.01, 0.00667}, {}}}) {
    const Preset preset = findPreset("tokens", c.preset);
    const Recipe &recipe = preset.recipe;
    EXPECT_EQ(recipe.batch, c.batch) << c.preset;
    EXPECT_EQ(recipe.length, c.length) << c.preset;
    EXPECT_EQ(recipe.steps, c.steps) << c.preset;
    EXPECT_EQ(recipe.warmup, c.warmup) << c.preset;
    EXPECT_EQ(preset.learningRates, c.rates) << c.preset;
    EXPECT_EQ(preset.weightDecays, c.decays) << c.preset;
    EXPECT_EQ(std::pair(recipe.learning_rate, recipe.weight_decay), std::pair(c.rates[0], c.decays[0])) << c.preset;
    EXPECT_EQ(recipe.nll_square, c.nllSquare) << c.preset;
    EXPECT_EQ(recipe.z_loss, std::nullopt) << c.preset;
    EXPECT_EQ(recipe.schedule, "cosine") << c.preset;
    EXPECT_EQ(recipe.final_fraction, 0.01) << c.preset;
    EXPECT_EQ(recipe.beta1, 0.9) << c.preset;
    EXPECT_EQ(recipe.beta2, 0.95) << c.preset;
    EXPECT_EQ(recipe.epsilon, 1e-8) << c.preset;
    EXPECT_EQ(recipe.clip, 1) << c.preset;
    const double trillions = double(c.batch) * double(c.length) * double(c.steps) / 1e12;
    EXPECT_NEAR(trillions, preset.name == "llama-1B-2T" ? 2 : 1, 0.02) << c.preset;
    EXPECT_NE(preset.source.find("Part 4.2"), std::string::npos) << c.preset;
  }
  EXPECT_EQ(findPreset("tokens").source.find("Part 4.2"), std::string::npos) << "the first preset is ours";
}

// Its steps, easy to hard, with batch, context and weight decay.
TEST(Recipes, paperSizesOfBrevoAndMano) {
  struct Case {
    const char *task;
    int64_t batch, length, steps[3];
    double decay;
    std::vector<double> rates;
  };
  const std::vector<double> rates = {3e-4, 5e-4, 1e-3, 2e-3};
  for (const Case &c : {Case{"brevo1", 256, 1024, {100000, 125000, 150000}, 0.03, rates},
                        Case{"brevo2", 192, 1536, {200000, 225000, 250000}, 0.03, rates},
                        Case{"mano", 64, 1024, {80000, 95000, 110000}, 0.1, {1e-4, 2e-4, 3e-4, 5e-4}}}) {
    const std::vector<Preset> presets = presetsOf(c.task);
    for (size_t i = 0; i < 3; ++i) {
      const Recipe &recipe = presets.at(i).recipe;
      EXPECT_EQ(recipe.batch, c.batch) << c.task;
      EXPECT_EQ(recipe.length, c.length) << c.task;
      EXPECT_EQ(recipe.steps, c.steps[i]) << c.task;
      EXPECT_EQ(recipe.weight_decay, c.decay) << c.task;
      EXPECT_EQ(recipe.schedule, "cosine") << c.task;
      EXPECT_EQ(recipe.beta2, 0.98) << c.task;
      EXPECT_EQ(presets[i].learningRates, c.rates) << c.task;
    }
  }
  EXPECT_EQ(findPreset("brevo1", "N=110").settings.at("v"), "110") << "as many letters as nodes";
}

TEST(Recipes, errorsNameTheLine) {
  auto read = [](const std::string &text) { return errorOf([&] { readPresets(text, "a.toml"); }); };
  std::string common = "[recipe]\nbatch = 1\nlength = 2\nsteps = 3\nschedule = \"linear\"\n";
  EXPECT_EQ(read(common + "[[preset]]\nname = \"x\"\n"), "");
  EXPECT_EQ(read(common), "a.toml:1: must hold a [[preset]]");
  EXPECT_EQ(read("[recipe]\nbatsh = 1\n"), "a.toml:2: has no value 'batsh'; did you mean 'batch'?");
  EXPECT_EQ(read("[recip]\nbatch = 1\n"), "a.toml:1: has no table 'recip'; did you mean 'recipe'?");
  EXPECT_EQ(read("[recipe]\nbatch = 0\n"), "a.toml:2: must be an integer of at least 1");
  EXPECT_EQ(read("[recipe]\nbeta1 = 1.5\n"), "a.toml:2: must be a number in 0..1");
  EXPECT_EQ(read("[recipe]\nclip = nan\n"), "a.toml:2: must be a number in 0..inf");
  for (const char *number : {"-1e-4", "inf", "nan", "\"x\""})
    EXPECT_EQ(read(std::string("[recipe]\nnll_square = ") + number + "\n"), "a.toml:2: must be a number in 0..1000000");
  EXPECT_EQ(read("[recipe]\nz_loss = -1\n"), "a.toml:2: must be a number in 0..1000000");
  EXPECT_EQ(read(common + "learning_rates = [1, 2]\n[[preset]]\nname = \"x\"\nweight_decays = [1]\n"),
            "a.toml:7: preset 'x' must have a weight decay for each of its 2 learning rates, but has 1");
  EXPECT_EQ(read("[recipe]\nschedule = \"cosin\"\n"), "a.toml:2: has no schedule 'cosin'; did you mean 'cosine'?");
  EXPECT_EQ(read(common + "[[preset]]\ntask = { n = 3 }\n"), "a.toml:6: a preset must have a 'name'");
  EXPECT_EQ(read("[[preset]]\nname = \"x\"\n"), "a.toml:1: preset 'x' must set batch, length, steps and schedule");
  EXPECT_TRUE(read("[recipe\n").starts_with("a.toml:1: "));
  EXPECT_EQ(errorOf([] { findPreset("depo1", "N=255"); }),
            "task 'depo1': no preset is called 'N=255'; did you mean 'N=225'?");
}
