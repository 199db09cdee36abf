// stretto-demo: trains a small model with and without Canon layers on the same data, shows both curves while they
// run, scores both and writes a report.
#include "runtime/core/command_line.h"
#include "runtime/core/counted.h"
#include "runtime/core/nearest.h"
#include "runtime/runs/findings.h"
#include "runtime/runs/report.h"
#include "runtime/runs/table.h"
#include "tools/demo/experiment.h"
#include "tools/demo/screen.h"
#include "tools/support/child.h"
#include "tools/support/say.h"
#include "tools/support/text.h"
#include "tools/support/tool_main.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>
#include <thread>

using namespace stretto;
using namespace stretto::tools;
namespace fs = std::filesystem;

static volatile std::sig_atomic_t interrupted = 0;

// Thrown where the user stops the demonstration.
struct Interrupted {};

// Trains all variants with one seed side by side, on the same data. Returns their runs.
static std::vector<runtime::Run> trainPair(const DemoOptions &options, const Experiment &experiment, int64_t seed,
                                           Screen &screen) {
  std::vector<runtime::Run> runs;
  std::vector<Child> children;
  std::vector<std::string> labels;
  for (const Variant &variant : variants()) {
    fs::path folder = runFolder(options, experiment, variant, seed);
    fs::create_directories(folder.parent_path());
    children.emplace_back(trainCommand(options, experiment, variant, seed), folder.string() + ".log");
    runs.push_back(runtime::Run::starting(folder));
    labels.push_back(variant.label);
  }
  screen.begin(fmt::format("{}, seed {} ({} of {})", experiment.title, seed, seed + 1, options.seeds),
               stepsOf(experiment, options), labels);
  for (bool going = true; going;) {
    going = false;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (interrupted)
      throw Interrupted();
    for (size_t i = 0; i < children.size(); ++i) {
      std::optional<int> status = children[i].status();
      going |= !status;
      if (status.value_or(0) != 0)
        throw runtime::Error(fmt::format("training {} ended with status {}; its last lines:\n{}the command was:\n  {}",
                                         labels[i], *status, lastLines(runs[i].folder + ".log", 8),
                                         runtime::commandLine(trainCommand(options, experiment, variants()[i], seed))));
      runs[i].update();
    }
    screen.show(runs);
  }
  return runs;
}

static std::string modelText(const Experiment &experiment) {
  std::string text;
  for (const auto &[name, value] : experiment.model)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  return text;
}

static runtime::Section runExperiment(const DemoOptions &options, const Experiment &experiment, Screen &screen) {
  std::vector<runtime::RunGroup> groups;
  for (const Variant &variant : variants())
    groups.push_back({variant.label, {}});
  for (int64_t seed = 0; seed < options.seeds; ++seed) {
    std::vector<runtime::Run> runs = trainPair(options, experiment, seed, screen);
    for (size_t i = 0; i < runs.size(); ++i)
      groups[i].runs.push_back(std::move(runs[i]));
  }
  runtime::Recipe recipe = tasks::recipeFor(experiment.task, experiment.preset);
  std::string text =
      fmt::format("{}\n\nBoth models come from {} ({}) and see the same data: task {}, preset {}, {} steps of {} "
                  "sequences of {} tokens; scored on held-out data after every twentieth part of the steps.\n\n",
                  experiment.question, options.spec.filename().string(), modelText(experiment), experiment.task,
                  experiment.preset, stepsOf(experiment, options), recipe.batch, recipe.length);
  const std::vector<std::string> &scores = groups[0].runs[0].scoreNames;
  std::string found =
      scores.empty() ? "No score was measured." : runtime::describeFindings(groups[0], groups[1], scores[0]);
  say("\n{}\n{}\n\n", runtime::plainTable(runtime::compareTable(groups)), found);
  return {experiment.title, text + found, experiment.name + ".svg", std::move(groups)};
}

// What is run, in order.
static std::vector<Experiment> chosen(const DemoOptions &options) {
  std::vector<Experiment> some;
  std::ranges::copy_if(experiments(), std::back_inserter(some), [&](const Experiment &experiment) {
    return options.only.empty() || std::ranges::find(options.only, experiment.name) != options.only.end();
  });
  return some;
}

// Throws Error where a run would lie where something is.
static void refuseRuns(const DemoOptions &options) {
  for (const Experiment &experiment : chosen(options))
    for (int64_t seed = 0; seed < options.seeds; ++seed)
      for (const Variant &variant : variants())
        if (const fs::path folder = runFolder(options, experiment, variant, seed); fs::exists(folder))
          throw runtime::Error("'" + folder.string() + "' must be a new folder, but is there; move the runs of '" +
                               options.output.string() + "' away, or give another --output");
}

static void runDemo(const DemoOptions &options) {
  auto start = std::chrono::steady_clock::now();
  Screen screen;
  runtime::Report report{"Canon layers, on and off", "", {}};
  for (const Experiment &experiment : chosen(options))
    report.sections.push_back(runExperiment(options, experiment, screen));
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.text =
      fmt::format("Each figure is over {}. The whole took {:.0f} s.", runtime::counted(options.seeds, "seed"), seconds);
  runtime::writeReport(report, options.output);
  say("report: {0}/report.html and {0}/report.md ({1:.0f} s)\n", options.output.string(), seconds);
}

// Fills in what the command line leaves open, and checks what it says.
static void complete(DemoOptions &options) {
  fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  if (options.stretto.empty())
    options.stretto = folder / "stretto";
  if (options.spec.empty())
    options.spec = folder.parent_path().parent_path() / "models" / "llama.stretto";
  if (!fs::exists(options.spec))
    throw runtime::Error("the spec '" + options.spec.string() + "' is missing; name one with --spec");
  std::vector<std::string> names;
  for (const Experiment &experiment : experiments())
    names.push_back(experiment.name);
  for (const std::string &name : options.only)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw runtime::Error("no comparison is called '" + name + "'" + runtime::suggestName(name, names));
}

int main(int argc, char **argv) {
  CLI::App app("Trains one spec with and without Canon layers on the same data and reports what came of it.",
               "stretto-demo");
  DemoOptions options;
  app.add_option("--only", options.only, "comparisons to run: one-hop, two-hops; may be given again");
  app.add_option("--seeds", options.seeds, "runs of each model")
      ->transform(wholeNumber(1, 1000))
      ->capture_default_str();
  app.add_option("--steps", options.steps, "steps of each run instead of the preset's")
      ->transform(wholeNumber(1, 1 << 30));
  app.add_option("--threads", options.threads, "threads of each of the two runs that go on at a time")
      ->transform(wholeNumber(1, 4096))
      ->capture_default_str();
  app.add_option("-o,--output", options.output, "folder of runs and report")
      ->capture_default_str()
      ->type_name("FOLDER");
  app.add_option("--spec", options.spec, "spec with the parameters of models/llama.stretto")->type_name("FILE");
  app.add_option("--stretto", options.stretto, "the stretto to call (default: the one beside this program)")
      ->type_name("PROGRAM");
  int status = 0;
  const int failure = runTool(app, argc, argv, [&] {
    complete(options);
    refuseRuns(options);
    std::signal(SIGINT, [](int) { interrupted = 1; });
    std::signal(SIGTERM, [](int) { interrupted = 1; });
    try {
      runDemo(options);
    } catch (const Interrupted &) {
      fmt::print(stderr, "stretto-demo: stopped; finished runs are in {}\n", options.output.string());
      status = 130;
    }
  });
  return failure ? failure : status;
}
