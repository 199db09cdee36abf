// All tasks with their recipes, as programs ask for them.
#include "tasks/all_tasks.h"

#include "tasks/recipes.h"
#include "tasks/registry.h"

namespace stretto::tasks {

runtime::TaskRegistry allTasks() {
  return {makeTask, [](const std::string &task, const std::string &preset) {
            const Preset found = findPreset(task, preset);
            return runtime::TaskDefaults{found.recipe, found.settings};
          }};
}

} // namespace stretto::tasks
