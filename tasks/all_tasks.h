// All tasks with their recipes, as programs ask for them.
#pragma once

#include "runtime/train/config.h"

namespace stretto::tasks {

runtime::TaskRegistry allTasks();

} // namespace stretto::tasks
