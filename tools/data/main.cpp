// stretto-data: shows samples of a task as text and as tokens.
#include "runtime/core/colour.h"
#include "runtime/core/error.h"
#include "runtime/core/nearest.h"
#include "tasks/recipes.h"
#include "tools/data/export.h"
#include "tools/data/statistics.h"
#include "tools/support/tool_main.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <limits>
#include <unistd.h>

using namespace stretto;
using namespace stretto::tools;

namespace {
struct Options {
  std::string task, preset, ids = "compact", stream = "train", exportTo;
  std::vector<std::string> settings;
  int64_t samples = 0;
  uint64_t seed = 0, first = 0;
  bool json = false, speed = false, shape = false, stats = false, vocabulary = false;
};
} // namespace

static void describeOptions(CLI::App &app, Options &options) {
  const CLI::Validator index = wholeNumber(0, std::numeric_limits<int64_t>::max());
  app.add_option("task", options.task, "name of a task; without it: all tasks and their parameters")->type_name("TASK");
  app.add_option("--samples", options.samples,
                 "sequences to show (3 unless given), to count or to write (1000); of those held out at most all")
      ->transform(wholeNumber(1, 1 << 30));
  app.add_option("--set,--task-set", options.settings, "parameter of the task, name=value; may be given again");
  app.add_option("--preset", options.preset, "parameters of a preset of the task's recipe")->type_name("PRESET");
  app.add_option("--ids", options.ids, "numbering of tokens: compact or published")->capture_default_str();
  app.add_option("--stream", options.stream, "train or evaluation")->capture_default_str();
  app.add_option("--seed", options.seed, "seed of the data")->transform(index)->capture_default_str();
  app.add_option("--first", options.first, "index of the first sequence")->transform(index)->capture_default_str();
  app.add_flag("--speed", options.speed, "measure how many tokens per second one core generates and scores");
  app.add_flag("--shape", options.shape,
               "print what a model must be compiled for: batch, length, vocabulary, and whether it has to write");
  app.add_flag("--vocabulary", options.vocabulary, "print each id with its text");
  app.add_flag(
      "--stats", options.stats,
      "print what sequences are like: documents, their lengths, counted targets, tokens; with --stream=evaluation "
      "also how many instances there are of each difficulty");
  app.add_option("--export", options.exportTo,
                 "write sequences to a new file: one JSON object per sequence (.jsonl), or all tokens, as --task "
                 "tokens reads them (.tokens)")
      ->type_name("FILE");
  app.add_flag("--json", options.json,
               "one JSON object per sequence, with tokens, targets, loss mask and positions; of --vocabulary: per id");
}

// Throws TaskError where `value` is none of `known`.
static void checkChoice(const std::string &option, const std::string &value, const std::vector<std::string> &known) {
  if (std::find(known.begin(), known.end(), value) == known.end())
    throw tasks::TaskError(option + " must be " + known[0] + " or " + known[1] + ", but got '" + value + "'" +
                           runtime::didYouMean(value, known));
}

// Without a task there is nothing to say of one; and what is asked for is one answer, or a count and a file.
static void checkTogether(const CLI::App &app, const Options &options) {
  for (const CLI::Option *option : app.get_options())
    if (options.task.empty() && option->count() > 0)
      throw UsageError(option->get_name() + " needs the name of a task before it");
  std::vector<std::string> answers;
  for (const char *name : {"--shape", "--speed"})
    if (app.count(name))
      answers.emplace_back(name);
  if (options.json || options.vocabulary)
    answers.emplace_back(options.vocabulary ? "--vocabulary" : "--json");
  if (options.stats || !options.exportTo.empty())
    answers.emplace_back(options.stats ? "--stats" : "--export");
  if (answers.size() > 1)
    throw UsageError(answers[0] + " and " + answers[1] + " must not be given together");
}

static std::map<std::string, std::string> collectSettings(const Options &options) {
  std::map<std::string, std::string> settings;
  if (!options.preset.empty())
    settings = tasks::findPreset(options.task, options.preset).settings;
  for (const std::string &text : options.settings) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw tasks::TaskError("--set must look like name=value, but got '" + text + "'");
    settings[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return settings;
}

static void exportTo(const Options &options, const runtime::Task &task, runtime::Stream stream, int64_t rows,
                     const PrintOptions &print) {
  if (!exportRows(options.exportTo, task, options.seed, stream, options.first, rows, print))
    std::cerr << "stretto data: warning: several tokens open the documents of '" << task.name()
              << "', so that the file does not say where they begin\n";
}

static void run(const Options &options) {
  if (options.task.empty()) {
    for (const tasks::TaskInfo &task : tasks::listTasks())
      printTask(std::cout, task);
    return;
  }
  checkChoice("--ids", options.ids, {"compact", "published"});
  checkChoice("--stream", options.stream, {"train", "evaluation"});
  std::unique_ptr<runtime::Task> task = tasks::makeTask(options.task, collectSettings(options));
  runtime::Stream stream = options.stream == "train" ? runtime::Stream::Train : runtime::Stream::Evaluation;
  if (options.shape) {
    printShape(std::cout, *task, tasks::recipeFor(options.task, options.preset));
    return;
  }
  if (options.speed) {
    printSpeed(std::cout, *task, options.seed, stream);
    return;
  }
  const PrintOptions print{.published = options.ids == "published", .colour = runtime::wantsColour(STDOUT_FILENO)};
  if (options.vocabulary) {
    printVocabulary(std::cout, *task, print, options.json);
    return;
  }
  const std::optional<int64_t> heldOut = stream == runtime::Stream::Evaluation ? task->evaluationRows() : std::nullopt;
  const bool counts = options.stats || !options.exportTo.empty();
  const int64_t left = heldOut ? *heldOut - int64_t(options.first) : std::numeric_limits<int64_t>::max();
  const int64_t many = options.samples ? options.samples : std::min<int64_t>(counts ? 1000 : 3, left);
  if (left < std::max<int64_t>(many, 1))
    throw UsageError(std::to_string(*heldOut) + " sequences are held out, but got --first " +
                     std::to_string(options.first) +
                     (options.samples ? " and --samples " + std::to_string(options.samples) : std::string()));
  if (options.stats)
    printStatistics(std::cout, *task, options.seed, stream, options.first, many);
  if (!options.exportTo.empty())
    exportTo(options, *task, stream, many, print);
  if (counts)
    return;
  for (int64_t i = 0; i < many; ++i) {
    Samples row(*task, options.seed, stream, options.first + uint64_t(i), 1);
    options.json ? printJson(std::cout, *task, row, print) : printSamples(std::cout, *task, row, print);
  }
}

// What a task refuses was asked for by the command line.
static void runOrExplain(const Options &options) {
  try {
    run(options);
  } catch (const tasks::TaskError &error) {
    throw UsageError(error.what());
  } catch (const std::bad_alloc &) {
    throw runtime::Error("the sequences must fit into memory, but do not; give a smaller length");
  }
}

int main(int argc, char **argv) {
  CLI::App app("Shows samples of a task as text and as tokens.", "stretto data");
  Options options;
  describeOptions(app, options);
  return runTool(app, argc, argv, [&] {
    checkTogether(app, options);
    runOrExplain(options);
  });
}
