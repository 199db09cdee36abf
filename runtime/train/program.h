// A compiled model as a program: command line in, trained weights out.
#pragma once

#include "runtime/abi/abi.h"
#include "runtime/train/config.h"

#include <functional>
#include <memory>

namespace stretto {

// How a program finds its tasks; given by main, so that the runtime does not know them.
struct TaskRegistry {
  // Both throw (any std::exception) for an unknown name, with the nearest one.
  std::function<std::unique_ptr<Task>(const std::string &name, const std::map<std::string, std::string> &settings)>
      make;
  FindDefaults defaults;
};

// Runs the program; returns its exit status: 0, 1 after an error (told on stderr), 128 + signal when a signal
// stopped it.
int runProgram(const stretto_program &program, const TaskRegistry &tasks, int argc, const char *const *argv);

} // namespace stretto
