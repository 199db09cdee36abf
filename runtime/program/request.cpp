// What the user asks of a run, checked as far as that goes without the model.
#include "runtime/program/request.h"

#include "runtime/core/error.h"
#include "runtime/core/token_magic.h"
#include "runtime/core/whole_number.h"
#include "runtime/device/names.h"
#include "runtime/generate/prompts.h"
#include "runtime/program/several_ranks.h"
#include "runtime/train/batches.h"
#include "runtime/train/changes.h"
#include "runtime/train/checkpoint.h"
#include "runtime/train/files.h"
#include "runtime/train/find_checkpoint.h"
#include "runtime/train/meanings.h"
#include "runtime/train/rundir.h"
#include "runtime/train/tensor_files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

namespace stretto::runtime {

namespace fs = std::filesystem;

static std::vector<int64_t> stepsOf(const std::string &run) { return CheckpointFolder(run + "/ckpt", 1).steps(); }

static bool hasCheckpoints(const std::string &run) { return !stepsOf(run).empty(); }

// The settings of a run that goes on.
static ConfigLayer layerOf(const std::string &run) {
  ConfigLayer layer = readRunFile(run);
  if (const std::vector<int64_t> steps = stepsOf(run); !steps.empty())
    layer.step = steps.back();
  return layer;
}

// What was asked last for a setting, on the command line or else in a file of settings; null where nothing was.
static GivenValue *lastAsked(const std::string &name, ConfigLayer &line, ConfigLayer &file) {
  for (ConfigLayer *layer : {&line, &file})
    if (const auto value = layer->options.find(name); value != layer->options.end())
      return &value->second;
  return nullptr;
}

// The run directory to go on with, if one is asked for; `out` then names it, also where it named a part of it.
static std::optional<std::string> resumedRun(const GivenValue *resume, GivenValue *out) {
  if (!resume || resume->text != "true")
    return std::nullopt;
  if (!out || out->text.empty() || out->text == "none")
    throw Error(resume->origin.placed("--resume needs the run directory: give --out FOLDER"));
  return out->text = findRunDirectory(out->text);
}

// Throws Error where settings do not go together, or mean nothing.
static void checkTogether(const RunConfig &config) {
  if (config.temperature < 0 && config.temperature != -1)
    throw Error(config.origins.at("temperature")
                    .placed(fmt::format("--temperature must be -1 or at least 0, but got {}", config.temperature)));
  if (config.evalGenerate > 0 && !config.tokens.empty())
    throw Error(config.origins.at("eval-generate")
                    .placed(fmt::format("--eval-generate needs a task that lets models write, but got {} for --tokens",
                                        config.evalGenerate)));
  if (config.text && !config.writesOnly())
    throw Error(config.origins.at("text").placed("--text needs prompts: give --prompt or --prompts"));
  if (config.checkFinite && config.profile)
    throw Error("--check-finite and --profile must not be given together");
  if (config.bench && (config.resume || config.profile || config.checkFinite))
    throw Error("--bench must not be given together with --resume, --profile or --check-finite");
  if (config.resume && config.writesOnly())
    throw Error(fmt::format("--prompt and --prompts must not be given together with --resume; to write with the "
                            "weights of that run, give: --init-from {}",
                            config.out));
}

// Where files go: nowhere, where standard output is for answers.
static void settleOutput(RunConfig &config, std::string_view model) {
  if (config.answers())
    config.out = "none";
  if (config.out.empty())
    config.out = fmt::format("runs/{}-{}-seed{}", model, config.task.empty() ? "tokens" : config.task, config.seed);
}

// Throws Error where a run would go on from its checkpoints, but other weights to begin with are asked for.
static void checkBeginning(const RunConfig &config) {
  const auto other = std::ranges::find(config.changes, "init-from", &SettingChange::name);
  if (other != config.changes.end() && hasCheckpoints(config.out))
    throw Error(config.origins.at("init-from")
                    .placed(fmt::format("a run that goes on from its checkpoints must have the --init-from that it "
                                        "began with, {}, but got '{}'",
                                        other->from.empty() ? "none" : other->from, other->to)));
}

RunConfig configure(const CommandLine &line, std::string_view model, const TaskRegistry &tasks) {
  std::vector<ConfigLayer> layers;
  ConfigLayer given = line.layer, file = line.configFile.empty() ? ConfigLayer() : readConfigFile(line.configFile);
  const std::optional<std::string> resumed =
      resumedRun(lastAsked("resume", given, file), lastAsked("out", given, file));
  const bool goesOn = resumed && (pathExists(*resumed + "/run.toml") || hasCheckpoints(*resumed));
  if (goesOn)
    layers.push_back(layerOf(*resumed));
  std::vector<SettingChange> ofRunChanged;
  if (!line.ofRun.empty()) {
    layers.push_back(readRunFile(line.ofRun));
    ofRunChanged = layers.back().changed;
  }
  layers.push_back(file);
  layers.push_back(given);
  RunConfig config = composeConfig(layers, tasks.defaults);
  config.ofRun = line.ofRun;
  config.ofRunChanged = ofRunChanged;
  if (goesOn) {
    config.changes = changesOf(layers.front(), config);
    checkBeginning(config);
    config.changed = layers.front().changed;
  }
  checkTogether(config);
  if (config.writesOnly())
    checkMeanings(config, tasks);
  checkRanks(config);
  settleOutput(config, model);
  return config;
}

static const Origin fromProgram{Origin::Kind::Program, "program"};

static bool asksForLength(const Origin &origin) {
  return origin.kind == Origin::Kind::CommandLine || origin.kind == Origin::Kind::OwnFile;
}

void settleLength(RunConfig &config, const ModelShape &model) {
  if (!model.length || config.task.empty())
    return;
  std::string &length = config.taskSettings["length"];
  Origin &origin = config.taskOrigins["length"];
  if (int64_t number = 0; parseWholeNumber(length, number) && number == model.length)
    return;
  if (asksForLength(origin))
    throw Error(origin.placed(
        fmt::format("the length must be the {} that the model was compiled for, but got {}; compile for it: "
                    "stretto compile SPEC --length {}",
                    model.length, length, length)));
  length = fmt::format("{}", model.length);
  origin = fromProgram;
}

void settleParameters(RunConfig &config, const std::map<std::string, std::string> &all) {
  for (const auto &[name, value] : all)
    if (config.taskSettings.emplace(name, value).second)
      config.taskOrigins[name] = Origin();
}

static std::unique_ptr<Task> makeFor(const RunConfig &config, const ModelShape &model, const TaskRegistry &tasks) {
  try {
    return tasks.make(config.task, config.taskSettings);
  } catch (const TaskError &error) {
    if (!model.compiled || error.parameter != "length")
      throw;
    throw Error(fmt::format("{} (the model was compiled for length {}; another length needs another program: stretto "
                            "compile SPEC --task {})",
                            error.what(), model.length, config.task));
  }
}

// The parameters of a task that nobody sets; those of its recipe alone where it cannot be made without others.
static std::map<std::string, std::string> usualParameters(const RunConfig &config, const TaskRegistry &tasks) {
  const std::map<std::string, std::string> ofRecipe = tasks.defaults(config.task, config.preset).settings;
  try {
    return tasks.make(config.task, ofRecipe)->settings();
  } catch (const std::exception &) {
    return ofRecipe;
  }
}

// The options that name the task, as far as its defaults do not.
static std::string taskWords(const RunConfig &config, const TaskRegistry &tasks) {
  std::string words = "--task " + config.task;
  if (!config.preset.empty())
    words += " --preset " + config.preset;
  const std::map<std::string, std::string> usual = usualParameters(config, tasks);
  for (const auto &[name, value] : config.taskSettings)
    if (const auto found = usual.find(name);
        config.taskOrigins.at(name).kind != Origin::Kind::Program && (found == usual.end() || found->second != value))
      words += fmt::format(" --task-set {}={}", name, value);
  return words;
}

// Throws Error where models are to write answers that nobody asks for.
static void checkWriting(const RunConfig &config, const Task &task) {
  if (config.evalGenerate > 0 && task.prompts(static_cast<uint64_t>(config.seed), 0, 1).empty())
    throw Error(config.origins.at("eval-generate")
                    .placed(fmt::format("--eval-generate needs a task that lets models write, but got {} for '{}'",
                                        config.evalGenerate, config.task)));
}

// The first parameter that names a file with another content than when the run that goes on was trained; empty where
// none does, or that cannot be known.
static std::string changedSince(const std::string &run, const Task &task) {
  try {
    const std::optional<Manifest> manifest = findWeights(run).manifest;
    const std::vector<std::string> changed = changedFiles(task, manifest ? manifest->facts.at("data") : "");
    return changed.empty() ? "" : changed.front();
  } catch (const std::exception &) { // it has no checkpoint that can be used
    return "";
  }
}

// What to do about a task that does not fit the model of its program.
static std::string adviceFor(const RunConfig &config, const Task &task, bool hasMoreTokens, const TaskRegistry &tasks) {
  if (!config.ofRun.empty() && hasMoreTokens)
    return "the run knows no more tokens: train with all that evaluations will have";
  if (const std::string parameter = config.resume ? changedSince(config.out, task) : ""; !parameter.empty())
    return changedFileText(task, parameter) + " when the run was trained, which a resume needs";
  return "compile for it: stretto compile SPEC " + taskWords(config, tasks);
}

std::unique_ptr<Task> makeTask(const RunConfig &config, const ModelShape &model, const TaskRegistry &tasks) {
  std::unique_ptr<Task> task = makeFor(config, model, tasks);
  checkMeanings(config, *task, tasks);
  checkWriting(config, *task);
  if (!model.length)
    return task;
  const int64_t vocabulary = model.vocabulary ? model.vocabulary : task->vocabulary();
  if (task->vocabulary() > vocabulary || task->length() != model.length)
    throw Error(fmt::format("task '{}' needs vocabulary {} and length {}, but the model was compiled for vocabulary "
                            "{} and length {}; {}",
                            config.task, task->vocabulary(), task->length(), vocabulary, model.length,
                            adviceFor(config, *task, task->vocabulary() > vocabulary, tasks)));
  return task;
}

static std::string toldOf(double coefficient) { return fmt::format("{}", coefficient); }
static std::string toldOf(const std::string &text) { return "'" + text + "'"; }

// What the compiler was asked for as well.
template <typename Value>
static void settleCompiled(RunConfig &config, const char *option, std::optional<Value> &asked, const Value &compiled) {
  Origin &origin = config.origins[option];
  if (!asked) {
    asked = compiled;
    origin = fromProgram;
  }
  if (*asked != compiled)
    throw Error(fmt::format("--{} must be the {} that the model was compiled with, but got {} ({}); compile for it: "
                            "stretto compile SPEC --{} {}",
                            option, toldOf(compiled), toldOf(*asked), origin.text, option, toldOf(*asked)));
}

void settleCompiled(RunConfig &config, const stretto_program &program) {
  settleCompiled(config, "nll-square", config.nllSquare, program.nll_square);
  settleCompiled(config, "z-loss", config.zLoss, program.z_loss);
  settleCompiled<std::string>(config, "lr-factors", config.lrFactors, program.lr_factors);
  settleCompiled<std::string>(config, "weight-decay-factors", config.weightDecayFactors, program.weight_decay_factors);
}

// Throws Error where a folder that no run has begun to write holds what a run would put others in place of.
static void checkForeign(const std::string &out) {
  if (pathExists(out + "/sweep.toml"))
    throw Error(
        fmt::format("'{}' must be a new folder or a run directory, but is a sweep directory; give another --out", out));
  if (pathExists(out + "/lock") || pathExists(out + "/run.toml"))
    return;
  for (const char *name :
       {"spec.stretto", "model.sha", "rerun.sh", "metrics.jsonl", "timing.jsonl", "build", "ckpt", "log"})
    if (pathExists(out + "/" + name))
      throw Error(fmt::format("'{}' must be a new folder or a run directory, but is none and has '{}', which a run "
                              "writes; give another --out",
                              out, name));
}

void checkNew(const RunConfig &config) {
  if (!config.resume && hasCheckpoints(config.out))
    throw Error(fmt::format("run directory '{}' must be new, but has checkpoints; give --resume to go on from them, "
                            "or another --out",
                            config.out));
}

// Throws Error where nothing can be made in a folder; one that there is not yet is made in the nearest that there is.
static void checkFolder(const fs::path &folder) {
  fs::path there = fs::absolute(folder);
  std::error_code none;
  while (!fs::exists(there, none) && there.has_relative_path())
    there = there.parent_path();
  if (!fs::is_directory(there, none))
    failFile("create folder", folder.string(), ENOTDIR);
  if (access(there.c_str(), W_OK | X_OK) != 0)
    failFile("create folder", folder.string(), errno);
}

// Throws Error where nothing can be appended to what lies there, a file or what takes output as it comes, or no file
// can be made.
static void checkAppended(const std::string &path) {
  std::error_code none;
  if (fs::is_directory(path, none))
    failFile("write", path, EISDIR);
  if (!fs::exists(path, none))
    placeOfOutput(path);
  else if (access(path.c_str(), W_OK) != 0)
    failFile("write", path, errno);
}

static void checkRunDirectory(const RunConfig &config) {
  if (config.out == "none")
    return;
  checkTexts(config);
  if (config.origins.at("out").isDefault())
    return checkFolder(fs::path(config.out).parent_path());
  checkFolder(config.out);
  checkFree(config.out);
  checkNew(config);
  checkForeign(config.out);
}

// Throws Error for what holds no sequences, as a file of tokens for the task of that name.
static void checkTokens(const std::string &path) {
  const InputFile file(path, /*followLinks=*/true);
  std::string first(std::min<uint64_t>(tokenMagic.size(), file.bytes()), '\0');
  file.read(0, first.data(), first.size());
  if (first == tokenMagic)
    throw Error(fmt::format("--tokens must name a safetensors file, but '{0}' is a token file; give: --task tokens "
                            "--task-set file={0}",
                            path));
  const SafetensorsFile tokens(path, /*followLinks=*/true);
}

static void checkPrompts(const RunConfig &config, const ModelShape &model, const TaskRegistry &tasks) {
  checkEndToken(config, model.vocabulary);
  for (const NamedPrompt &named : readPrompts(config, makeTaskText(config, tasks).get()))
    checkPrompt(named.prompt, named.name, model.length, model.vocabulary);
}

// Throws Error where a file that is written only for the user is one that the run reads, or that this or another run
// writes.
static void checkOutput(std::string_view option, const std::string &path, const RunConfig &config,
                        const std::vector<std::string> &inputs) {
  const auto isPath = [&](const std::string &input) {
    std::error_code none;
    return fs::equivalent(path, input, none);
  };
  if (std::ranges::any_of(inputs, isPath))
    throw Error(fmt::format("{} must not name a file that is read, but got '{}'", option, path));
  if (isFileOfRun(path, config.out == "none" ? "" : config.out))
    throw Error(fmt::format("{} must not name a file of a run, but got '{}'", option, path));
}

static void checkOutputs(const RunConfig &config, std::vector<std::string> inputs) {
  inputs.push_back(config.tokens);
  for (const Setting &setting : settings())
    if (const std::string_view option = setting.option->name;
        std::ranges::find(outputOptions, option) != std::end(outputOptions) && !setting.get(config).empty())
      checkOutput(option, setting.get(config), config, inputs);
}

void checkRequest(const RunConfig &config, const ModelShape &model, const TaskRegistry &tasks, bool isWriter) {
  const std::string device = chooseDevice(model.target, config.device);
  if (!model.compiled) // a program asks the device itself
    checkPresence(device);
  if (isWriter)
    checkRunDirectory(config);
  std::vector<std::string> weightFiles;
  if (!config.initFrom.empty() && !(config.resume && hasCheckpoints(config.out))) {
    const FoundWeights found = findWeights(config.initFrom);
    const TensorFiles weights(found.path, found.files, /*followLinks=*/true);
    weightFiles = found.files;
  }
  if (!config.tokens.empty())
    checkTokens(config.tokens);
  if (config.writesOnly())
    checkPrompts(config, model, tasks);
  if (!isWriter)
    return;
  checkOutputs(config, weightFiles);
  if (!config.scores.empty())
    checkAppended(config.scores);
  for (const std::string *path : {&config.dumpGradients, &config.dumpBatch})
    if (!path->empty())
      placeOfOutput(*path);
}

} // namespace stretto::runtime
