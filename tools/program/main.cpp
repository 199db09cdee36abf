// Main of a compiled training program.
#include "runtime/train/program.h"
#include "tasks/recipes.h"
#include "tasks/registry.h"

int main(int argc, char **argv) {
  stretto::TaskRegistry tasks;
  tasks.make = stretto::makeTask;
  tasks.defaults = [](const std::string &task, const std::string &preset) {
    const stretto::Preset found = stretto::findPreset(task, preset);
    return stretto::TaskDefaults{found.recipe, found.settings};
  };
  return stretto::runProgram(stretto_compiled_program, tasks, argc, argv);
}
