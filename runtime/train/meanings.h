// What ids mean to the weights that a run begins with.
#pragma once

#include "runtime/train/config.h"

namespace stretto::runtime {

// Throws Error where an id means something else in the task than in that of the run which the weights, or the run that
// is gone on with, are of; but for another task that a new run trains on. What is not known is not compared: of weights
// that lie in no run directory, of a task that cannot be made again, of ids that have no meanings.
void checkMeanings(const RunConfig &config, const Task &task, const TaskRegistry &tasks);
// The same for a run that only writes behind prompts, whose ids are those of its task, if it has one.
void checkMeanings(const RunConfig &config, const TaskRegistry &tasks);

// The warning about a new run that trains on another task whose ids mean something else; empty where there is none.
std::string transferWarning(const RunConfig &config, const Task &task, const TaskRegistry &tasks);

} // namespace stretto::runtime
