// stretto-sweep: trains a spec with all combinations of settings.
#include "runtime/core/counted.h"
#include "tools/stretto/check.h"
#include "tools/stretto/error.h"
#include "tools/stretto/process.h"
#include "tools/stretto/train.h"
#include "tools/support/say.h"
#include "tools/support/streams.h"
#include "tools/support/text.h"
#include "tools/sweep/lock.h"
#include "tools/sweep/scheduler.h"
#include "tools/sweep/state.h"

#include "runtime/train/files.h"
#include "tasks/common/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <thread>

using namespace stretto;
using namespace stretto::tools;
namespace fs = std::filesystem;

static volatile std::sig_atomic_t stopRequests = 0;

static void catchSignals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { stopRequests = stopRequests + 1; };
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

static bool isThere(const runtime::SweepRun &run, const fs::path &out) {
  return stateOf(out / run.folder) != RunState::Absent;
}

// Throws CommandError where the sweep in the folder, or what else has runs there, is another than `now`. Until a sweep
// has run directories its settings may change.
static void refuseOther(const runtime::SweepFile &now, const fs::path &out) {
  const runtime::SweepFile then = runtime::isSweep(out) ? runtime::readSweepFile(out) : runtime::SweepFile{};
  const bool isBegun = std::ranges::any_of(then.runs, [&](const auto &run) { return isThere(run, out); });
  if (std::error_code none; !isBegun && fs::exists(out / "run.toml", none))
    throw CommandError("'" + out.string() +
                           "' must be a new folder or a sweep directory, but is a run directory; give another --out",
                       2);
  if (const std::string differences = isBegun ? differencesOf(then, now) : ""; !differences.empty())
    throw CommandError("sweep directory '" + out.string() +
                           "' must be continued with the settings it was begun with, but they differ:\n" + differences +
                           "give those, or another --out",
                       2);
  for (const runtime::SweepRun &run : now.runs)
    if (isThere(run, out) && std::ranges::find(then.runs, run.folder, &runtime::SweepRun::folder) == then.runs.end())
      throw CommandError("'" + (out / run.folder).string() +
                             "' must be a new folder or a run that the sweep began, but no sweep.toml in '" +
                             out.string() + "' lists it; move it away, or give another --out",
                         2);
}

// Threads of each rank: the cores shared out, unless the line says how many.
static int64_t threadsOf(const SweepLine &line) {
  const bool given = std::ranges::any_of(
      line.train, [](const std::string &word) { return word == "--threads" || word.starts_with("--threads="); });
  return given ? 0 : std::max<int64_t>(1, int64_t(std::thread::hardware_concurrency()) / line.jobs);
}

static std::string sizeText(const SweepPlan &plan) {
  std::string text;
  for (const runtime::Axis &axis : plan.file.axes)
    text += fmt::format("{}{} {}", text.empty() ? "" : " x ", axis.values.size(), axis.name);
  return fmt::format("{} ({}), {}", runtime::counted(plan.runs.size(), "run"), text,
                     runtime::counted(plan.programs.size(), "program"));
}

static void printPlan(const SweepPlan &plan, const fs::path &out) {
  for (const runtime::SweepRun &run : plan.file.runs) {
    const RunState state = stateOf(out / run.folder);
    say("{}{}\n", run.command,
        state == RunState::Absent  ? ""
        : state == RunState::Begun ? "  # begun"
                                   : "  # finished");
  }
}

// What is wrong with a run is told before anything is compiled.
static void checkRuns(const SweepPlan &plan, const fs::path &out) {
  std::set<size_t> programs; // whose spec is checked
  for (size_t i = 0; i < plan.runs.size(); ++i)
    if (const fs::path folder = out / plan.file.runs[i].folder; stateOf(folder) == RunState::Absent) {
      std::vector<std::string> words = plan.runs[i].words;
      words.insert(words.end(), {"--out", folder.string()});
      try {
        const TrainArguments arguments = splitTrainArguments(words);
        checkRun(arguments);
        if (programs.insert(plan.runs[i].program).second)
          checkSpec(arguments);
      } catch (const CommandError &error) {
        throw CommandError(
            *error.what() ? error.what() : "'" + plan.file.runs[i].folder + "' cannot be trained, see above", 1);
      }
    }
}

static int run(const std::vector<std::string> &words) {
  const SweepLine line = readSweepLine(words);
  if (line.help) {
    say("{}", sweepHelp());
    return 0;
  }
  const SweepPlan plan = planSweep(line);
  refuseOther(plan.file, line.out);
  const int64_t threads = threadsOf(line);
  say("{}, {} at a time{}{}\n", sizeText(plan), line.jobs / line.ranks,
      line.ranks > 1 ? fmt::format(" with {} ranks", line.ranks) : "",
      threads ? fmt::format(", {} each", runtime::counted(threads, "thread")) : "");
  std::fflush(stdout);
  if (line.stretto.empty())
    checkRuns(plan, line.out);
  if (line.dryRun) {
    printPlan(plan, line.out);
    return 0;
  }
  std::error_code failure;
  fs::create_directories(line.out, failure);
  if (failure)
    throw runtime::Error("cannot make the folder '" + line.out.string() + "': " + failure.message());
  const SweepLock lock(line.out);
  runtime::removeInterrupted(line.out, {"sweep.toml"});
  refuseOther(plan.file, line.out); // of another process that has ended since
  runtime::writeSweepFile(plan.file, line.out);
  catchSignals();
  const fs::path stretto = line.stretto.empty() ? siblingProgram("stretto") : line.stretto;
  return runSweep(plan, {line.out, stretto, line.jobs, line.ranks, threads}, [] { return int(stopRequests); });
}

int main(int argc, char **argv) {
  openClosedStreams();
  outliveFileLimit();
  int status = 1;
  try {
    status = run(std::vector<std::string>(argv + 1, argv + argc));
    if (status == 0 && !outputIsWritten())
      throw CommandError("the output could not be written");
    return status;
  } catch (const CommandError &error) {
    status = error.status;
    fmt::print(stderr, "stretto sweep: error: {}\n", error.what());
  } catch (const tasks::TaskError &error) {
    status = 2;
    fmt::print(stderr, "stretto sweep: error: {}\n", error.what());
  } catch (const std::exception &error) {
    fmt::print(stderr, "stretto sweep: error: {}\n", error.what());
  }
  return status;
}
