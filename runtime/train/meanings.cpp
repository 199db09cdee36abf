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

// The task of a run, if it is called so and has other settings; nothing where that cannot be known.
static std::unique_ptr<Task> otherTask(const std::string &run, const RunConfig &config, const TaskRegistry &tasks) {
  try {
    const ConfigLayer layer = readRunFile(run);
    std::map<std::string, std::string> settings;
    for (const auto &[parameter, value] : layer.taskSettings)
      settings[parameter] = value.text;
    const auto name = layer.options.find("task");
    if (name == layer.options.end() || name->second.text != config.task ||
        withoutLength(settings) == withoutLength(config.taskSettings))
      return nullptr;
    return tasks.make(config.task, settings);
  } catch (const std::exception &) { // a run that is damaged, or files of its task that are gone
    return nullptr;
  }
}

// "k = 2 instead of 4"
static std::string tellChanges(const Task &before, const Task &now) {
  const std::map<std::string, std::string> values = withoutLength(now.settings());
  std::string text;
  for (const auto &[parameter, value] : withoutLength(before.settings()))
    if (values.at(parameter) != value)
      text += fmt::format("{}{} = {} instead of {}", text.empty() ? "" : ", ", parameter, values.at(parameter), value);
  return text;
}

void checkMeanings(const RunConfig &config, const Task &task, const TaskRegistry &tasks) {
  const std::string &path = config.resume ? config.out : config.initFrom;
  const std::string run = path.empty() ? "" : runOf(path);
  if (run.empty() || !pathExists(run + "/run.toml"))
    return;
  const std::unique_ptr<Task> before = otherTask(run, config, tasks);
  if (!before)
    return;
  const int64_t ids = std::min(before->vocabulary(), task.vocabulary());
  for (int32_t id = 0; id < ids; ++id)
    if (const std::string then = before->meaning(id), now = task.meaning(id); then != now)
      throw Error(fmt::format("task '{}': ids must mean what they do to the weights of '{}', but with {} the id {} is "
                              "'{}' and not '{}'",
                              config.task, run, tellChanges(*before, task), id, printable(now), printable(then)));
}

} // namespace stretto::runtime
