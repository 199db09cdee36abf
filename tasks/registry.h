// The tasks by name.
#pragma once

#include "tasks/common/packing.h"

namespace stretto::tasks {

struct TaskInfo {
  std::string name, about;
  std::vector<ParameterInfo> parameters;
};

// All tasks with their parameters, alphabetical.
std::vector<TaskInfo> listTasks();

// A task with the given parameters, defaults for the rest. Throws TaskError for an unknown task or parameter
// (with the nearest name) and for values that are out of range or do not go together.
std::unique_ptr<runtime::Task> makeTask(const std::string &name, const std::map<std::string, std::string> &settings);

// The published number of each id of a task; empty where it has none.
std::vector<int32_t> publishedIds(const runtime::Task &task);

} // namespace stretto::tasks
