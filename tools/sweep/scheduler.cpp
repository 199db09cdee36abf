// Runs the runs of a sweep.
#include "tools/sweep/scheduler.h"

#include "runtime/core/command_line.h"
#include "runtime/core/counted.h"
#include "runtime/core/duration.h"
#include "runtime/core/error.h"
#include "tools/support/child.h"
#include "tools/support/say.h"
#include "tools/support/text.h"
#include "tools/sweep/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <list>
#include <thread>

namespace stretto::tools {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

enum class Stage { Waiting, Going, Done, Failed };

// A child with what it works on.
struct Job {
  bool trains; // a run, else a program
  size_t index;
  fs::path log;
  Child child;
  Clock::time_point start;
};

class Scheduler {
public:
  Scheduler(const SweepPlan &plan, const SweepJobs &options)
      : plan(plan), options(options), programs(plan.programs.size(), Stage::Done),
        runs(plan.runs.size(), Stage::Waiting) {
    for (size_t i = 0; i < runs.size(); ++i)
      if (stateOf(folderOf(i)) == RunState::Finished)
        runs[i] = Stage::Done;
      else
        programs[plan.runs[i].program] = Stage::Waiting;
    before = count(Stage::Done);
  }

  int run(int (*stopping)());

private:
  fs::path folderOf(size_t run) const { return options.out / plan.file.runs[run].folder; }
  const std::string &nameOf(size_t run) const { return plan.file.runs[run].folder; }
  size_t count(Stage stage) const { return size_t(std::ranges::count(runs, stage)); }

  int64_t freeJobs() const;
  bool startNext();
  void start(bool trains, size_t index, std::vector<std::string> command, const std::string &log);
  std::vector<std::string> trainCommand(size_t run) const;
  void finish(const Job &job, int status);
  void finishProgram(const Job &job, int status);
  std::string leftText() const;
  void collect(bool stopped);
  void interruptAll();
  int conclude(bool stopped) const;

  const SweepPlan &plan;
  const SweepJobs &options;
  std::vector<Stage> programs, runs;
  std::list<Job> going;
  std::vector<double> durations; // of the runs finished in this call
  size_t before = 0;             // runs that were finished when it began
  Clock::time_point begin = Clock::now();
};

int64_t Scheduler::freeJobs() const {
  int64_t taken = 0;
  for (const Job &job : going)
    taken += job.trains ? options.ranks : 1;
  return options.jobs - taken;
}

// A program that is missing, else a run whose program is there and for which there are jobs. Returns whether there was
// one.
bool Scheduler::startNext() {
  const int64_t free = freeJobs();
  if (free < 1)
    return false;
  if (auto at = std::ranges::find(programs, Stage::Waiting); at != programs.end()) {
    const size_t index = size_t(at - programs.begin());
    std::vector<std::string> command{options.stretto, "program"};
    command.insert(command.end(), plan.programs[index].words.begin(), plan.programs[index].words.end());
    *at = Stage::Going;
    start(false, index, command, fmt::format("program-{}", index + 1));
    return true;
  }
  for (size_t i = 0; i < runs.size() && free >= options.ranks; ++i)
    if (runs[i] == Stage::Waiting && programs[plan.runs[i].program] == Stage::Done) {
      runs[i] = Stage::Going;
      start(true, i, trainCommand(i), nameOf(i));
      return true;
    }
  return false;
}

void Scheduler::start(bool trains, size_t index, std::vector<std::string> command, const std::string &log) {
  const fs::path path = options.out / "logs" / (log + ".txt");
  going.push_back({trains, index, path, Child(command, path), Clock::now()});
}

std::vector<std::string> Scheduler::trainCommand(size_t run) const {
  std::vector<std::string> command{options.stretto, "train"};
  command.insert(command.end(), plan.runs[run].words.begin(), plan.runs[run].words.end());
  if (options.threads)
    command.insert(command.end(), {"--threads", std::to_string(options.threads)});
  command.insert(command.end(), {"--progress", "plain", "--out", folderOf(run).string()});
  if (stateOf(folderOf(run)) != RunState::Absent)
    command.push_back("--resume");
  return command;
}

// What a child says where its log has no room for it is lost.
std::string fullDiskText(const fs::path &log) {
  std::error_code failure;
  const fs::space_info space = fs::space(log, failure);
  return failure || space.available ? "" : "  (the disk of this log is full: what was said last may be missing)\n";
}

std::string failureText(const Job &job, const std::string &what, int status) {
  return fmt::format("{} failed with status {} after {}; the end of {}:\n{}{}", what, status,
                     runtime::formatDuration(secondsSince(job.start)), job.log.string(), lastLines(job.log, 8),
                     fullDiskText(job.log));
}

void Scheduler::finishProgram(const Job &job, int status) {
  programs[job.index] = status ? Stage::Failed : Stage::Done;
  std::vector<std::string> without;
  for (size_t i = 0; i < runs.size(); ++i)
    if (runs[i] == Stage::Waiting && plan.runs[i].program == job.index)
      without.push_back(nameOf(i));
  if (!status) {
    // The log has the compiler's remarks and then the path of the program.
    say("program {} of {}, for {}: {}\n{}", job.index + 1, programs.size(), runtime::counted(without.size(), "run"),
        runtime::formatDuration(secondsSince(job.start)), linesBeforeLast(job.log));
    return;
  }
  for (size_t i = 0; i < runs.size(); ++i)
    if (runs[i] == Stage::Waiting && plan.runs[i].program == job.index)
      runs[i] = Stage::Failed;
  say("{}  so there is no program for: {}\n",
      failureText(job, fmt::format("program {} of {}", job.index + 1, programs.size()), status),
      fmt::join(without, " "));
}

// How many runs are left, and for how long they will take at the mean duration of those finished so far.
std::string Scheduler::leftText() const {
  double seconds = 0, mean = 0;
  for (double duration : durations)
    mean += duration / double(durations.size());
  for (const Job &job : going)
    seconds += job.trains ? std::max(0.0, mean - secondsSince(job.start)) : 0;
  const size_t waiting = count(Stage::Waiting), left = waiting + count(Stage::Going);
  if (left == 0)
    return "none left";
  seconds = (seconds + double(waiting) * mean) / double(std::min<size_t>(size_t(options.jobs / options.ranks), left));
  return fmt::format("{} left{}", left, durations.empty() ? "" : ", about " + runtime::formatDuration(seconds));
}

void Scheduler::finish(const Job &job, int status) {
  if (!job.trains)
    return finishProgram(job, status);
  runs[job.index] = status ? Stage::Failed : Stage::Done;
  if (status) {
    say("{}  {}\n", failureText(job, nameOf(job.index), status), leftText());
    return;
  }
  durations.push_back(secondsSince(job.start));
  say("{}/{}  {}  {}  {}  {}\n", count(Stage::Done), runs.size(), nameOf(job.index), headlineOf(folderOf(job.index)),
      runtime::formatDuration(durations.back()), leftText());
}

// Takes in the children that ended. Where the user stopped them, that is no failure.
void Scheduler::collect(bool stopped) {
  for (auto job = going.begin(); job != going.end();) {
    const std::optional<int> status = job->child.status();
    if (!status) {
      ++job;
      continue;
    }
    std::list<Job> ended;
    ended.splice(ended.begin(), going, job++);
    if (!stopped || *status == 0)
      finish(ended.front(), *status);
    else
      (ended.front().trains ? runs : programs)[ended.front().index] = Stage::Waiting;
    std::fflush(stdout);
  }
}

void Scheduler::interruptAll() {
  for (Job &job : going)
    job.child.interrupt();
}

int Scheduler::conclude(bool stopped) const {
  const size_t done = count(Stage::Done), failed = count(Stage::Failed);
  if (stopped && done < runs.size()) {
    say("stopped: {} of {} runs are finished; the same line goes on\n", done, runs.size());
    return 130;
  }
  const std::string time = runtime::formatDuration(secondsSince(begin)), out = options.out.string();
  if (failed) {
    say("{} of {} runs are finished, {} failed:\n", done, runs.size(), failed);
    for (size_t i = 0; i < runs.size(); ++i)
      if (runs[i] == Stage::Failed)
        say("  {}\n", nameOf(i));
    say("the same line tries them again\n");
    return 1;
  }
  say("{} ({} before, {} in {}); put them side by side with: {}\n",
      done == 1 ? "the one run is finished" : fmt::format("all {} runs are finished", done), before, done - before,
      time, runtime::commandLine({"stretto", "compare", out}));
  return 0;
}

int Scheduler::run(int (*stopping)()) {
  fs::create_directories(options.out / "logs");
  int asked = 0;
  while (true) {
    while (!asked && startNext()) {
    }
    if (going.empty())
      return conclude(asked > 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (const int now = stopping(); now > asked) {
      if (!asked)
        say("stopping: {} going on, each writes a checkpoint (again: without)\n", going.size());
      asked = now;
      interruptAll();
    }
    collect(asked > 0);
  }
}

} // namespace

int runSweep(const SweepPlan &plan, const SweepJobs &jobs, int (*stopping)()) {
  return Scheduler(plan, jobs).run(stopping);
}

} // namespace stretto::tools
