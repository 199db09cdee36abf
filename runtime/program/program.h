// A compiled model as a program: command line in, trained weights out.
#pragma once

#include "runtime/abi/abi.h"
#include "runtime/program/request.h"

namespace stretto::runtime {

// Runs the program; returns its exit status: 0, 1 after an error (told on stderr), 128 + signal when a signal
// stopped it.
int runProgram(const stretto_program &program, const TaskRegistry &tasks, int argc, const char *const *argv);

} // namespace stretto::runtime
