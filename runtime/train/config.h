// Everything that can be set for a run, each value with its origin.
#pragma once

#include "runtime/core/program_options.h"
#include "runtime/train/task.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stretto::runtime {

// Where a value comes from.
struct Origin {
  // RunFile: a file that a run wrote. OwnFile: one that its user wrote.
  enum class Kind : uint8_t { Default, Recipe, Program, RunFile, OwnFile, CommandLine };
  Kind kind = Kind::Default;
  std::string text = "default"; // for people: "command line", "run.toml:3"

  bool isDefault() const { return kind == Kind::Default; }
  // What is wrong with the value, told with its place, if it is not on the command line.
  std::string placed(const std::string &problem) const {
    return kind == Kind::CommandLine ? problem : text + ": " + problem;
  }
};

// What a resume has otherwise than the run so far.
struct SettingChange {
  int64_t step = 0; // behind which it counts
  std::string name; // "lr", or "task.n" for a parameter of the task
  std::string from, to;

  bool operator==(const SettingChange &) const = default;
};

struct RunConfig {
  std::string task, preset;
  std::map<std::string, std::string> taskSettings;
  std::string tokens, initFrom;
  int64_t steps = 1000, warmup = 0, accumulate = 1;
  int64_t virtualRanks = 0; // 0: as many as ranks
  double learningRate = 1e-3, weightDecay = 0, beta1 = 0.9, beta2 = 0.98, epsilon = 1e-6;
  double clip = 1.0; // infinity: never
  std::string schedule = "cosine";
  double finalFraction = 0.1, cooldown = 1; // of the rate; of the steps behind warm-up
  std::optional<double> nllSquare, zLoss;   // coefficients of terms of the loss; nothing: as the program has them
  std::optional<std::string> lrFactors, weightDecayFactors; // of some weights, NAMES=FACTOR,...; likewise
  int64_t seed = 0;
  int64_t evalEvery = 100, evalBatches = 4, evalGenerate = -1; // -1: as the task says
  double temperature = -1;                                     // of what is generated; -1: as the task says
  std::string scores;                                          // a file for the scores of evaluations
  std::string prompt, prompts;       // what to go on with instead of training; a file with more
  bool text = false;                 // prompts and answers are text, not numbers of tokens
  int64_t write = 32, endToken = -1; // tokens of an answer, and the one that ends it; -1: none
  bool trains() const { return steps > 0 && !answers(); }
  bool answers() const { return bench || writesOnly(); } // on standard output
  bool writesOnly() const { return !prompt.empty() || !prompts.empty(); }
  int64_t saveEvery = 500, keep = 3, logEvery = 10;
  std::string out;
  bool resume = false, strict = false;
  std::string ofRun;   // the run directory that spec and settings come from
  int64_t threads = 0; // 0: all cores
  int64_t ranks = 1, maxRestarts = 0, joinTimeout = 60, rankTimeout = 10; // seconds
  std::string device = "auto";                                            // what the model was compiled for
  bool graph = true, deterministic = true, tf32 = false;
  std::string onNonfinite = "stop"; // or "skip"
  bool checkFinite = false, quiet = false, profile = false, bench = false;
  std::string progress = "auto"; // or "line", "plain"
  std::string dumpGradients, dumpBatch;
  int64_t memoryLimit = 0; // bytes, of the ranks of a host together, or of each GPU; 0: what there is

  std::vector<SettingChange> changes;        // what a resume has otherwise than the run so far
  std::vector<SettingChange> changed;        // all that was changed since the run began
  std::vector<SettingChange> ofRunChanged;   // the same of the run that spec and settings come from
  std::vector<std::string> leftOut;          // what a file of the user says of another task or preset, a sentence each
  std::map<std::string, Origin> origins;     // by option name
  std::map<std::string, Origin> taskOrigins; // by task parameter
};

// An option of the table with its range and where its value lies.
struct Setting {
  const ProgramOption *option;
  std::string name, help;                                    // without dashes; with what is known here alone
  std::function<void(RunConfig &, const std::string &)> set; // throws Error for a value out of range
  std::function<std::string(const RunConfig &)> get;         // empty for a number: nobody says

  bool isStored() const { return option->kind == ProgramOption::experiment; }
  bool isText() const { return !option->value.empty() && option->value != "N" && option->value != "X"; }
};

// All options, in the order of the help text.
const std::vector<Setting> &settings();

// A value with where it was written.
struct GivenValue {
  std::string text;
  Origin origin;
  std::string said{}; // of a file that a run wrote: the origin that it says
};

// Values of one layer by name: options, and parameters of the task.
struct ConfigLayer {
  std::map<std::string, GivenValue> options, taskSettings;
  std::vector<SettingChange> changed{}; // of a run: at its resumes
  int64_t step = 0;                     // of a run that goes on: that of its newest checkpoint
};

// Throws Error where a run file says that a run wrote it and is not as it was written.
void checkWhole(const std::string &path, std::string_view content);

// A run file: tables [settings] and [task], and a list [[changed]] where a run wrote it. Throws Error "path:line: ..."
// for unknown names. One that a run wrote has to be as it was written; users' own have no seal.
ConfigLayer readConfigFile(const std::string &path);
// The run.toml of a run directory, which has to be as it was written.
ConfigLayer readRunFile(const std::string &run);

// Throws Error where what run.toml has to keep is no text in UTF-8.
void checkTexts(const RunConfig &config);

// The text of run.toml: every stored value, its origin as a comment, and what was changed; sealed.
std::string writeConfigFile(const RunConfig &config);

// Recipe and parameters of a task's preset (of the first, if the name is empty).
struct TaskDefaults {
  Recipe recipe;
  std::map<std::string, std::string> settings;
};
using FindDefaults = std::function<TaskDefaults(const std::string &task, const std::string &preset)>;

// How a program finds its tasks; given by main, so that the runtime does not know them.
struct TaskRegistry {
  // Both throw (any std::exception) for an unknown name, with the nearest one.
  std::function<std::unique_ptr<Task>(const std::string &name, const std::map<std::string, std::string> &settings)>
      make;
  FindDefaults defaults;
};

// Puts defaults, recipe and layers (later ones win) together and checks what goes together. Preset and parameters
// of a task count where their layer names no other task than the last; where a layer above has a preset, parameters
// count only of layers that name neither task nor preset. A warm-up that a run has from the recipe is settled anew
// where the steps are others, but not behind its end.
RunConfig composeConfig(const std::vector<ConfigLayer> &layers, const FindDefaults &findDefaults);

} // namespace stretto::runtime
