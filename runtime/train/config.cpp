// Everything that can be set for a run, each value with its origin.
#include "runtime/train/config.h"

#include "runtime/core/error.h"
#include "runtime/core/nearest.h"
#include "runtime/core/whole_number.h"
#include "runtime/device/names.h"
#include "runtime/train/schedule.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <ranges>
#include <span>
#include <stdexcept>

namespace stretto::runtime {
namespace {

constexpr int64_t most = 1'000'000'000'000'000;
constexpr double infinity = std::numeric_limits<double>::infinity();

bool parseReal(const std::string &text, double &value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// "a, b or c".
std::string alternatives(const std::vector<std::string> &words) {
  const std::span<const std::string> all(words);
  return fmt::format("{} or {}", fmt::join(all.first(all.size() - 1), ", "), words.back());
}

// An option of the table, whose value has to be shown as `value`, with what is done with it.
Setting bound(const char *name, std::string_view value, decltype(Setting::set) set, decltype(Setting::get) get) {
  const ProgramOption *option = findProgramOption("--" + std::string(name));
  if (!option || option->value != value)
    throw std::logic_error(fmt::format("program_options.h must have --{} {}", name, value));
  return {option, name, std::string(option->help), std::move(set), std::move(get)};
}

Setting integer(const char *name, int64_t RunConfig::*field, int64_t low, int64_t high) {
  auto set = [=](RunConfig &config, const std::string &text) {
    int64_t value = 0;
    if (!isWholeNumber(text, low, high, value))
      throw Error(fmt::format("--{} {}", name, notWholeNumber(text, low, high)));
    config.*field = value;
  };
  return bound(name, "N", set, [=](const RunConfig &config) { return fmt::format("{}", config.*field); });
}

Setting real(const char *name, double RunConfig::*field, double low, double high) {
  auto set = [=](RunConfig &config, const std::string &text) {
    double value = 0;
    if (!parseReal(text, value) || !(value >= low && value <= high))
      throw Error(fmt::format("--{} must be a number in {}..{}, but got '{}'", name, low, high, text));
    config.*field = value;
  };
  return bound(name, "X", set, [=](const RunConfig &config) { return fmt::format("{}", config.*field); });
}

// A coefficient of a term of the loss. The compiler reads the option, too, in the same range.
Setting coefficient(const char *name, std::optional<double> RunConfig::*field) {
  auto set = [=](RunConfig &config, const std::string &text) {
    double value = 0;
    if (!parseReal(text, value) || !(value >= 0 && value <= 1e6))
      throw Error(fmt::format("--{} must be a number in 0..{}, but got '{}'", name, 1e6, text));
    config.*field = value;
  };
  return bound(name, "X", set, [=](const RunConfig &config) {
    const std::optional<double> value = config.*field;
    return value ? fmt::format("{}", *value) : std::string();
  });
}

// Factors of some weights, which the compiler reads.
Setting factors(const char *name, std::optional<std::string> RunConfig::*field) {
  auto set = [=](RunConfig &config, const std::string &text) { config.*field = text; };
  return bound(name, "NAMES=X,...", set, [=](const RunConfig &config) { return (config.*field).value_or(""); });
}

Setting text(const char *name, std::string RunConfig::*field, std::vector<std::string> choices = {}) {
  auto set = [=](RunConfig &config, const std::string &value) {
    if (!choices.empty() && std::find(choices.begin(), choices.end(), value) == choices.end()) {
      throw Error(fmt::format("--{} must be {}, but got '{}'{}", name, alternatives(choices), value,
                              didYouMean(value, choices)));
    }
    config.*field = value;
  };
  return bound(name, "TEXT", set, [=](const RunConfig &config) { return config.*field; });
}

// What a user names; `value`: FILE, FOLDER, PATH, TASK or PRESET.
Setting named(const char *name, std::string_view value, std::string RunConfig::*field) {
  auto set = [=](RunConfig &config, const std::string &text) { config.*field = text; };
  return bound(name, value, set, [=](const RunConfig &config) { return config.*field; });
}

Setting onOff(const char *name, bool RunConfig::*field) {
  auto set = [=](RunConfig &config, const std::string &value) {
    if (value != "on" && value != "off")
      throw Error(fmt::format("--{} must be on or off, but got '{}'", name, value));
    config.*field = value == "on";
  };
  return bound(name, "TEXT", set, [=](const RunConfig &config) { return std::string(config.*field ? "on" : "off"); });
}

Setting flag(const char *name, bool RunConfig::*field) {
  auto set = [=](RunConfig &config, const std::string &value) {
    if (value != "true" && value != "false")
      throw Error(fmt::format("--{} must be true or false, but got '{}'", name, value));
    config.*field = value == "true";
  };
  return bound(name, "", set, [=](const RunConfig &config) { return std::string(config.*field ? "true" : "false"); });
}

// The table leaves a place in its help for the names.
Setting device() {
  std::vector<std::string> names = deviceNames();
  const std::string listed = fmt::format("{}", fmt::join(names, ", "));
  names.insert(names.begin(), "auto");
  Setting setting = text("device", &RunConfig::device, names);
  setting.help = fmt::format(fmt::runtime(setting.help), listed);
  return setting;
}

std::vector<Setting> makeSettings() {
  using C = RunConfig;
  return {
      named("task", "TASK", &C::task),
      named("preset", "PRESET", &C::preset),
      named("tokens", "FILE", &C::tokens),
      integer("steps", &C::steps, 0, most),
      real("lr", &C::learningRate, 0, 1e6),
      text("schedule", &C::schedule, decayNames),
      integer("warmup", &C::warmup, 0, most),
      real("final-fraction", &C::finalFraction, 0, 1),
      real("cooldown", &C::cooldown, 0, 1),
      real("weight-decay", &C::weightDecay, 0, 1e6),
      real("beta1", &C::beta1, 0, 0.9999999),
      real("beta2", &C::beta2, 0, 0.9999999),
      real("epsilon", &C::epsilon, 1e-30, 1),
      real("clip", &C::clip, 1e-30, infinity),
      coefficient("nll-square", &C::nllSquare),
      coefficient("z-loss", &C::zLoss),
      factors("lr-factors", &C::lrFactors),
      factors("weight-decay-factors", &C::weightDecayFactors),
      integer("accumulate", &C::accumulate, 1, 1'000'000),
      integer("seed", &C::seed, 0, std::numeric_limits<int64_t>::max()),
      named("init-from", "PATH", &C::initFrom),
      integer("eval-every", &C::evalEvery, 0, most),
      integer("eval-batches", &C::evalBatches, 0, 1'000'000),
      integer("eval-generate", &C::evalGenerate, -1, 1'000'000'000),
      real("temperature", &C::temperature, -1, 1e6),
      text("prompt", &C::prompt),
      named("prompts", "FILE", &C::prompts),
      flag("text", &C::text),
      integer("write", &C::write, 1, 1'000'000'000),
      integer("end-token", &C::endToken, -1, 1'000'000'000),
      named("scores", "FILE", &C::scores),
      integer("save-every", &C::saveEvery, 0, most),
      integer("keep", &C::keep, 1, 1'000'000),
      text("on-nonfinite", &C::onNonfinite, {"stop", "skip"}),
      named("out", "FOLDER", &C::out),
      flag("resume", &C::resume),
      flag("strict", &C::strict),
      integer("threads", &C::threads, 0, 4096),
      integer("ranks", &C::ranks, 1, 4096),
      integer("virtual-ranks", &C::virtualRanks, 0, 1 << 20),
      integer("max-restarts", &C::maxRestarts, 0, 1'000'000),
      integer("join-timeout", &C::joinTimeout, 1, 86'400),
      integer("rank-timeout", &C::rankTimeout, 1, 86'400),
      device(),
      onOff("graph", &C::graph),
      onOff("deterministic", &C::deterministic),
      onOff("tf32", &C::tf32),
      flag("check-finite", &C::checkFinite),
      flag("profile", &C::profile),
      flag("bench", &C::bench),
      flag("quiet", &C::quiet),
      text("progress", &C::progress, {"auto", "line", "plain"}),
      integer("log-every", &C::logEvery, 1, most),
      named("dump-gradients", "FILE", &C::dumpGradients),
      named("dump-batch", "FILE", &C::dumpBatch),
      integer("memory-limit", &C::memoryLimit, 0, std::numeric_limits<int64_t>::max()),
  };
}

const GivenValue *lastGiven(const std::vector<ConfigLayer> &layers, const std::string &name) {
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
    if (auto found = layer->options.find(name); found != layer->options.end())
      return &found->second;
  return nullptr;
}

void applyRecipe(RunConfig &config, const Recipe &recipe, const Origin &origin) {
  auto take = [&](const char *name, auto &field, const auto &value) {
    field = value;
    config.origins[name] = origin;
  };
  take("steps", config.steps, recipe.steps);
  take("warmup", config.warmup, recipe.warmup);
  take("lr", config.learningRate, recipe.learning_rate);
  take("weight-decay", config.weightDecay, recipe.weight_decay);
  take("beta1", config.beta1, recipe.beta1);
  take("beta2", config.beta2, recipe.beta2);
  take("epsilon", config.epsilon, recipe.epsilon);
  take("clip", config.clip, recipe.clip);
  take("schedule", config.schedule, recipe.schedule);
  take("final-fraction", config.finalFraction, recipe.final_fraction);
  if (recipe.nll_square)
    take("nll-square", config.nllSquare, recipe.nll_square);
  if (recipe.z_loss)
    take("z-loss", config.zLoss, recipe.z_loss);
}

bool names(const ConfigLayer &layer, const char *option) {
  const auto value = layer.options.find(option);
  return value != layer.options.end() && !value->second.text.empty();
}

// Leaves the parameters of a layer out, and says so of those in a file that the user wrote.
void leaveOut(ConfigLayer &layer, std::vector<std::string> &said) {
  for (const auto &[name, value] : layer.taskSettings)
    if (value.origin.kind == Origin::Kind::OwnFile)
      said.push_back(value.origin.placed(
          fmt::format("'{}' is left out, as the file has it for another task or preset than that of the run", name)));
  layer.taskSettings.clear();
}

// Leaves out what layers say of another task than that of the run, and below a preset parameters of a task or preset
// that their layer names itself.
std::vector<ConfigLayer> withoutOtherTasks(std::vector<ConfigLayer> layers, std::vector<std::string> &said) {
  const GivenValue *task = lastGiven(layers, "task");
  const std::string wanted = task ? task->text : "";
  bool presetAbove = false;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const auto own = layer->options.find("task");
    const bool other = own != layer->options.end() && own->second.text != wanted;
    if (other)
      layer->options.erase("preset");
    if (other || (presetAbove && (names(*layer, "task") || names(*layer, "preset"))))
      leaveOut(*layer, said);
    presetAbove |= names(*layer, "preset");
  }
  return layers;
}

constexpr std::string_view cutRemark = ", cut to a tenth of the steps";

std::string recipeText(const std::string &task, const std::string &preset) {
  return fmt::format("recipe {}{}{}", task, preset.empty() ? "" : " ", preset);
}

// Whether a run says that its warm-up is that of its recipe, cut or whole.
bool hasWarmupOfRecipe(const ConfigLayer &run) {
  const auto textOf = [&](const char *name) {
    const auto found = run.options.find(name);
    return found == run.options.end() ? std::string() : found->second.text;
  };
  const auto warmup = run.options.find("warmup");
  const std::string recipe = recipeText(textOf("task"), textOf("preset"));
  return warmup != run.options.end() &&
         (warmup->second.said == recipe || warmup->second.said == recipe + std::string(cutRemark));
}

// Whether a run that goes on to so many steps has its warm-up behind it.
bool hasWarmedUp(const ConfigLayer &run, const std::string &steps) {
  int64_t end = 0, warmup = 0;
  return run.step > 0 && parseWholeNumber(steps, end) &&
         isWholeNumber(run.options.at("warmup").text, 0, std::min(run.step, end), warmup);
}

// Such a warm-up is meant for the steps of that run: for others it is the recipe's again, unless it lies behind.
void leaveWarmupToRecipe(std::vector<ConfigLayer> &layers) {
  const GivenValue *steps = lastGiven(layers, "steps");
  for (ConfigLayer &layer : layers)
    if (const auto own = layer.options.find("steps"); own != layer.options.end() && own->second.text != steps->text &&
                                                      hasWarmupOfRecipe(layer) && !hasWarmedUp(layer, steps->text))
      layer.options.erase("warmup");
}

void applyTask(RunConfig &config, const std::vector<ConfigLayer> &layers, const FindDefaults &findDefaults) {
  const GivenValue *task = lastGiven(layers, "task"), *preset = lastGiven(layers, "preset");
  if (!task || task->text.empty())
    return;
  const std::string presetName = preset ? preset->text : "";
  const TaskDefaults defaults = findDefaults(task->text, presetName);
  const Origin origin{Origin::Kind::Recipe, recipeText(task->text, presetName)};
  applyRecipe(config, defaults.recipe, origin);
  for (const auto &[name, value] : defaults.settings) {
    config.taskSettings[name] = value;
    config.taskOrigins[name] = origin;
  }
}

// A recipe's warm-up is meant for its own number of steps; a shorter run warms up for a tenth.
void settleWarmup(RunConfig &config) {
  if (config.warmup <= config.steps)
    return;
  Origin &origin = config.origins["warmup"];
  if (origin.kind != Origin::Kind::Recipe && config.steps > 0)
    throw Error(
        origin.placed(fmt::format("--warmup must be at most --steps, but got {} and {}", config.warmup, config.steps)));
  config.warmup = config.steps / 10;
  origin.text += cutRemark;
}

// What is written in the first step is not written without one.
void checkDumps(const RunConfig &config) {
  for (const auto &[name, path] :
       {std::pair("dump-gradients", &config.dumpGradients), {"dump-batch", &config.dumpBatch}})
    if (!path->empty() && !config.trains())
      throw Error(fmt::format("--{} needs a step of training, but the run has none", name));
}

} // namespace

const std::vector<Setting> &settings() {
  static const std::vector<Setting> all = [] {
    std::vector<Setting> made = makeSettings();
    if (!std::ranges::equal(made, programOptions | std::views::filter(&ProgramOption::isSetting), {}, &Setting::option,
                            [](const ProgramOption &option) { return &option; }))
      throw std::logic_error("each setting of program_options.h must be bound once, in their order");
    return made;
  }();
  return all;
}

RunConfig composeConfig(const std::vector<ConfigLayer> &given, const FindDefaults &findDefaults) {
  RunConfig config;
  std::vector<ConfigLayer> layers = withoutOtherTasks(given, config.leftOut);
  leaveWarmupToRecipe(layers);
  for (const Setting &setting : settings())
    config.origins[setting.name] = {};
  applyTask(config, layers, findDefaults);
  for (const ConfigLayer &layer : layers) {
    for (const Setting &setting : settings())
      if (auto value = layer.options.find(setting.name); value != layer.options.end()) {
        try {
          setting.set(config, value->second.text);
        } catch (const Error &error) {
          throw Error(value->second.origin.placed(error.what()));
        }
        config.origins[setting.name] = value->second.origin;
      }
    for (const auto &[name, value] : layer.taskSettings) {
      config.taskSettings[name] = value.text;
      config.taskOrigins[name] = value.origin;
    }
  }
  settleWarmup(config);
  checkDumps(config);
  if (config.task.empty() == config.tokens.empty() && !config.writesOnly())
    throw Error(config.task.empty()
                    ? "a run needs data: give --task NAME (or --tokens FILE)"
                    : fmt::format("--task and --tokens must not be given together, but got '{}' ({}) and '{}' ({})",
                                  config.task, config.origins.at("task").text, config.tokens,
                                  config.origins.at("tokens").text));
  return config;
}

} // namespace stretto::runtime
