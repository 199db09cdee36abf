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
#include <span>

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

Setting integer(const char *name, const char *help, int64_t RunConfig::*field, int64_t low, int64_t high,
                bool stored = true) {
  auto set = [=](RunConfig &config, const std::string &text) {
    int64_t value = 0;
    if (!parseWholeNumber(text, value) || value < low || value > high)
      throw Error(fmt::format("--{} must be an integer in {}..{}, but got '{}'", name, low, high, text));
    config.*field = value;
  };
  return {name,   help, Setting::Kind::Integer,
          stored, set,  [=](const RunConfig &config) { return fmt::format("{}", config.*field); }};
}

Setting real(const char *name, const char *help, double RunConfig::*field, double low, double high) {
  auto set = [=](RunConfig &config, const std::string &text) {
    double value = 0;
    if (!parseReal(text, value) || !(value >= low && value <= high))
      throw Error(fmt::format("--{} must be a number in {}..{}, but got '{}'", name, low, high, text));
    config.*field = value;
  };
  return {name, help, Setting::Kind::Real,
          true, set,  [=](const RunConfig &config) { return fmt::format("{}", config.*field); }};
}

// A coefficient of a term of the loss. The compiler reads the option, too, in the same range.
Setting coefficient(const char *name, const char *help, std::optional<double> RunConfig::*field) {
  auto set = [=](RunConfig &config, const std::string &text) {
    double value = 0;
    if (!parseReal(text, value) || !(value >= 0 && value <= 1e6))
      throw Error(fmt::format("--{} must be a number in 0..{}, but got '{}'", name, 1e6, text));
    config.*field = value;
  };
  return {name, help, Setting::Kind::Real, true, set, [=](const RunConfig &config) {
            const std::optional<double> value = config.*field;
            return value ? fmt::format("{}", *value) : std::string();
          }};
}

Setting text(const char *name, std::string help, std::string RunConfig::*field, bool stored,
             std::vector<std::string> choices = {}) {
  auto set = [=](RunConfig &config, const std::string &value) {
    if (!choices.empty() && std::find(choices.begin(), choices.end(), value) == choices.end()) {
      const auto nearest = nearestOf(value, choices);
      throw Error(fmt::format("--{} must be {}, but got '{}'{}", name, alternatives(choices), value,
                              nearest ? "; did you mean '" + *nearest + "'?" : ""));
    }
    config.*field = value;
  };
  return {name, help, Setting::Kind::Text, stored, set, [=](const RunConfig &config) { return config.*field; }};
}

Setting onOff(const char *name, const char *help, bool RunConfig::*field, bool stored) {
  auto set = [=](RunConfig &config, const std::string &value) {
    if (value != "on" && value != "off")
      throw Error(fmt::format("--{} must be on or off, but got '{}'", name, value));
    config.*field = value == "on";
  };
  return {name,   help, Setting::Kind::Text,
          stored, set,  [=](const RunConfig &config) { return std::string(config.*field ? "on" : "off"); }};
}

Setting flag(const char *name, const char *help, bool RunConfig::*field) {
  auto set = [=](RunConfig &config, const std::string &value) {
    if (value != "true" && value != "false")
      throw Error(fmt::format("--{} must be true or false, but got '{}'", name, value));
    config.*field = value == "true";
  };
  return {name,  help, Setting::Kind::Flag,
          false, set,  [=](const RunConfig &config) { return std::string(config.*field ? "true" : "false"); }};
}

Setting device() {
  std::vector<std::string> names = deviceNames();
  const std::string help =
      fmt::format("auto (what the model was compiled for), {} (null-async, for tests: everything runs "
                  "late, on the cpu)",
                  fmt::join(names, ", "));
  names.insert(names.begin(), "auto");
  return text("device", help, &RunConfig::device, false, names);
}

std::vector<Setting> makeSettings() {
  using C = RunConfig;
  return {
      text("task", "task to train on", &C::task, true),
      text("preset", "named size of the task (default: its first)", &C::preset, true),
      text("tokens", "train on the sequences of this safetensors file instead of a task", &C::tokens, true),
      integer("steps", "optimizer steps", &C::steps, 0, most),
      real("lr", "learning rate", &C::learningRate, 0, 1e6),
      text("schedule", "what follows warm-up: constant, linear or cosine", &C::schedule, true,
           {"constant", "linear", "cosine"}),
      integer("warmup", "steps of linear warm-up", &C::warmup, 0, most),
      real("final-fraction", "learning rate at the end / learning rate", &C::finalFraction, 0, 1),
      real("weight-decay", "decoupled weight decay of AdamW", &C::weightDecay, 0, 1e6),
      real("beta1", "decay of AdamW's first moment", &C::beta1, 0, 0.9999999),
      real("beta2", "decay of AdamW's second moment", &C::beta2, 0, 0.9999999),
      real("epsilon", "AdamW's epsilon", &C::epsilon, 1e-30, 1),
      real("clip", "largest global gradient norm; inf: no clipping", &C::clip, 1e-30, infinity),
      coefficient("nll-square",
                  "coefficient of the squared negative log-likelihood in the loss; it has to be that of the program",
                  &C::nllSquare),
      coefficient("z-loss",
                  "coefficient of the squared log-sum-exp of the logits in the loss; it has to be that of the program",
                  &C::zLoss),
      integer("accumulate", "micro-batches per step", &C::accumulate, 1, 1'000'000),
      integer("seed", "seed of weights and data", &C::seed, 0, std::numeric_limits<int64_t>::max()),
      text("init-from", "take the weights from this safetensors file, run directory or checkpoint", &C::initFrom, true),
      integer("eval-every", "steps between evaluations; 0: only at the end", &C::evalEvery, 0, most),
      integer("eval-batches", "held-out batches per evaluation; 0: none", &C::evalBatches, 0, 1'000'000),
      integer("eval-generate",
              "held-out instances per evaluation that the model answers by writing; -1: some where the task is judged "
              "by it",
              &C::evalGenerate, -1, 1'000'000'000),
      real("temperature",
           "of what the model writes; 0: the likeliest token each time; -1: the task's, or 0 for prompts",
           &C::temperature, -1, 1e6),
      text("prompt", "go on with these tokens instead of training, \"3 1 4\"; several prompts with ; between",
           &C::prompt, false),
      text("prompts", "the same with the prompts of a file, one a line", &C::prompts, false),
      integer("write", "tokens to write behind a prompt, at most", &C::write, 1, 1'000'000'000, false),
      integer("end-token", "the token that ends an answer; -1: none", &C::endToken, -1, 1'000'000'000, false),
      text("scores", "append the scores of each evaluation to this file, one JSON object a line", &C::scores, false),
      integer("save-every", "steps between checkpoints; 0: only at the end", &C::saveEvery, 0, most),
      integer("keep", "checkpoints kept", &C::keep, 1, 1'000'000),
      text("on-nonfinite", "at a NaN or infinite loss or gradient: stop, or skip the step", &C::onNonfinite, true,
           {"stop", "skip"}),
      text("out", "run directory, usually a new one in runs; the word none: write no files", &C::out, false),
      flag("resume", "go on from the newest checkpoint of the run directory", &C::resume),
      flag("strict", "a newest checkpoint that is damaged is an error, and not a warning and the one before it",
           &C::strict),
      integer("threads", "threads; 0: all cores (results do not depend on it)", &C::threads, 0, 4096, false),
      integer("ranks",
              "start the program so often on this host, to share each step; where torchrun, SLURM or mpirun start it: "
              "how many they are to start, or 1 for runs of their own",
              &C::ranks, 1, 4096, false),
      integer("virtual-ranks",
              "parts of a step that are added in a fixed order, whichever ranks compute them; 0: as many as ranks",
              &C::virtualRanks, 0, 1 << 20),
      integer("max-restarts", "with --ranks: how often all ranks are started again, with --resume, after one was lost",
              &C::maxRestarts, 0, 1'000'000, false),
      integer("join-timeout", "seconds within which all ranks must come", &C::joinTimeout, 1, 86'400, false),
      integer("rank-timeout", "seconds without a sign of life after which a rank counts as lost", &C::rankTimeout, 1,
              86'400, false),
      device(),
      onOff("graph", "GPUs: a step is captured once as a graph and replayed; off: its ops are submitted each time",
            &C::graph, false),
      onOff("deterministic", "GPUs: the same bits each time; off: attention may use a faster backward without that",
            &C::deterministic, true),
      onOff("tf32", "GPUs: matmuls of floats may round their operands to 10 bits (TF32)", &C::tf32, true),
      flag("check-finite", "stop at the first op that writes a NaN or an infinity, and name it (slow)",
           &C::checkFinite),
      flag("profile", "print where the time of a step goes", &C::profile),
      flag("bench",
           "take requests from standard input, one a line: 'time N', 'profile N' (steps on the first batch), 'memory'; "
           "answers are JSON on standard output, and nothing is written",
           &C::bench),
      flag("quiet", "print only warnings and errors", &C::quiet),
      text("progress", "auto, line (redrawn) or plain", &C::progress, false, {"auto", "line", "plain"}),
      integer("log-every", "steps between plain progress lines", &C::logEvery, 1, most, false),
      text("dump-gradients", "write the gradients of the first step to this safetensors file", &C::dumpGradients,
           false),
      text("dump-batch", "write the tokens of the first step to this safetensors file", &C::dumpBatch, false),
      integer("memory-limit", "bytes that the ranks of a host (each rank, on a GPU) may plan for; 0: what there is",
              &C::memoryLimit, 0, std::numeric_limits<int64_t>::max(), false),
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

// Leaves out what layers say of another task than that of the run, and parameters below a preset.
std::vector<ConfigLayer> withoutOtherTasks(std::vector<ConfigLayer> layers) {
  const GivenValue *task = lastGiven(layers, "task");
  const std::string wanted = task ? task->text : "";
  bool presetAbove = false;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const auto own = layer->options.find("task");
    const bool other = own != layer->options.end() && own->second.text != wanted;
    if (other)
      layer->options.erase("preset");
    if (other || presetAbove)
      layer->taskSettings.clear();
    const auto preset = layer->options.find("preset");
    presetAbove |= preset != layer->options.end() && !preset->second.text.empty();
  }
  return layers;
}

void applyTask(RunConfig &config, const std::vector<ConfigLayer> &layers, const FindDefaults &findDefaults) {
  const GivenValue *task = lastGiven(layers, "task"), *preset = lastGiven(layers, "preset");
  if (!task || task->text.empty())
    return;
  const std::string presetName = preset ? preset->text : "";
  const TaskDefaults defaults = findDefaults(task->text, presetName);
  const Origin origin{Origin::Kind::Recipe,
                      fmt::format("recipe {}{}{}", task->text, presetName.empty() ? "" : " ", presetName)};
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
    throw Error(fmt::format("--warmup must be at most --steps, but got {} and {}", config.warmup, config.steps));
  config.warmup = config.steps / 10;
  origin.text += ", cut to a tenth of the steps";
}

} // namespace

const std::vector<Setting> &settings() {
  static const std::vector<Setting> all = makeSettings();
  return all;
}

RunConfig composeConfig(const std::vector<ConfigLayer> &given, const FindDefaults &findDefaults) {
  const std::vector<ConfigLayer> layers = withoutOtherTasks(given);
  RunConfig config;
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
  if (config.task.empty() == config.tokens.empty() && !config.writesOnly())
    throw Error(config.task.empty() ? "a run needs data: give --task NAME (or --tokens FILE)"
                                    : "--task and --tokens must not be given together");
  return config;
}

} // namespace stretto::runtime
