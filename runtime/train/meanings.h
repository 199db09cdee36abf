// What ids mean to the weights that a run begins with.
#pragma once

#include "runtime/train/config.h"

namespace stretto::runtime {

// Throws Error where an id means something else in the task than in that of the run which the weights, or the run that
// is gone on with, are of. What is not known is not compared: of weights that lie in no run directory, of another task,
// of a task that cannot be made again.
void checkMeanings(const RunConfig &config, const Task &task, const TaskRegistry &tasks);

} // namespace stretto::runtime
