// What ids mean to the weights that a run begins with.
#include "runtime/train/meanings.h"

#include "runtime/core/utf8.h"
#include "runtime/train/files.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace stretto::runtime {

namespace fs = std::filesystem;

// The run directory that a path is, or leads into by its folder of checkpoints.
static std::string runOf(const std::string &path) {
  std::error_code none;
  for (fs::path folder = fs::weakly_canonical(path, none); folder.has_relative_path(); folder = folder.parent_path())
    if (folder.filename() == "ckpt")
      return folder.parent_path().string();
  return path;
}

static std::map<std::string, std::string> withoutLength(std::map<std::string, std::string> settings) {
  settings.erase("length");
  return settings;
}

// The run directory that the weights are of, or that is gone on with; empty where there is none.
static std::string runOfWeights(const RunConfig &config) {
  const std::string &path = config.resume ? config.out : config.initFrom;
  const std::string run = path.empty() ? "" : runOf(path);
  return !run.empty() && pathExists(run + "/run.toml") ? run : "";
}

// The task of the run that the weights are of, if it is not the one of this name and these settings; nothing where that
// cannot be known.
static std::unique_ptr<Task> otherTask(const std::string &run, const std::string &nameNow,
                                       const std::map<std::string, std::string> &settingsNow,
                                       const TaskRegistry &tasks) {
  if (run.empty())
    return nullptr;
  try {
    const ConfigLayer layer = readRunFile(run);
    std::map<std::string, std::string> settings;
    for (const auto &[parameter, value] : layer.taskSettings)
      settings[parameter] = value.text;
    const auto name = layer.options.find("task");
    if (name == layer.options.end() || name->second.text.empty() ||
        (name->second.text == nameNow && withoutLength(settings) == withoutLength(settingsNow)))
      return nullptr;
    return tasks.make(name->second.text, settings);
  } catch (const std::exception &) { // a run that is damaged, or files of its task that are gone
    return nullptr;
  }
}

// "k = 2 instead of 4", or "mano instead of depo1".
static std::string tellChanges(const Task &before, const Task &now) {
  if (before.name() != now.name())
    return now.name() + " instead of " + before.name();
  const std::map<std::string, std::string> values = withoutLength(now.settings());
  std::string text;
  for (const auto &[parameter, value] : withoutLength(before.settings()))
    if (values.at(parameter) != value)
      text += fmt::format("{}{} = {} instead of {}", text.empty() ? "" : ", ", parameter, values.at(parameter), value);
  return text;
}

// The first id that is known to mean something else now; empty where there is none.
static std::string findDifference(const Task &before, const Task &now) {
  const int64_t ids = std::min(before.vocabulary(), now.vocabulary());
  for (int32_t id = 0; id < ids; ++id)
    if (const std::string then = before.meaning(id), is = now.meaning(id); !then.empty() && !is.empty() && then != is)
      return fmt::format("with {} the id {} is '{}' and not '{}'", tellChanges(before, now), id, printable(is),
                         printable(then));
  return "";
}

static bool isTransfer(const RunConfig &config, const Task &before, const Task &now) {
  return (config.trains() || config.bench) && !config.resume && before.name() != now.name();
}

static void refuseDifference(const std::string &run, const Task &before, const Task &now) {
  if (const std::string difference = findDifference(before, now); !difference.empty())
    throw Error(fmt::format("task '{}': ids must mean what they do to the weights of '{}', but {}", now.name(), run,
                            difference));
}

void checkMeanings(const RunConfig &config, const Task &task, const TaskRegistry &tasks) {
  const std::string run = runOfWeights(config);
  const std::unique_ptr<Task> before = otherTask(run, task.name(), task.settings(), tasks);
  if (before && !isTransfer(config, *before, task))
    refuseDifference(run, *before, task);
}

void checkMeanings(const RunConfig &config, const TaskRegistry &tasks) {
  const std::string run = runOfWeights(config);
  const std::unique_ptr<Task> before =
      config.task.empty() ? nullptr : otherTask(run, config.task, config.taskSettings, tasks);
  if (!before)
    return;
  std::unique_ptr<Task> task;
  try {
    task = tasks.make(config.task, withoutLength(config.taskSettings));
  } catch (const std::exception &) { // nothing is asked of it but what its ids mean
    return;
  }
  refuseDifference(run, *before, *task);
}

std::string transferWarning(const RunConfig &config, const Task &task, const TaskRegistry &tasks) {
  const std::string run = runOfWeights(config);
  const std::unique_ptr<Task> before = otherTask(run, task.name(), task.settings(), tasks);
  if (!before || !isTransfer(config, *before, task))
    return "";
  const std::string difference = findDifference(*before, task);
  return difference.empty() ? ""
                            : fmt::format("task '{}': ids mean something else to the weights of '{}': {}", task.name(),
                                          run, difference);
}

} // namespace stretto::runtime
