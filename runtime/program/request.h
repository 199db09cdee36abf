// What the user asks of a run, checked as far as that goes without the model: before one is compiled for it, and again
// by its program.
#pragma once

#include "runtime/abi/abi.h"
#include "runtime/train/options.h"

#include <string_view>

namespace stretto::runtime {

// What requests are checked against of the model; before it is compiled not all is known.
struct ModelShape {
  std::string_view target;            // empty: the usual one
  int64_t length = 0, vocabulary = 0; // 0: not known
  bool compiled = true;
};

// Puts the command line over run files, recipe and defaults. --resume, --of-run: what the run directory was started
// with lies under the command line. A run directory that nobody names is called after the model.
RunConfig configure(const CommandLine &line, std::string_view model, const TaskRegistry &tasks);

// Rows of the task have the length of the model, where that is known. Throws Error where the user asks for another.
void settleLength(RunConfig &config, const ModelShape &model);

// Names every parameter of the made task, so that the run keeps what later defaults may change. `all`: with their
// values.
void settleParameters(RunConfig &config, const std::map<std::string, std::string> &all);

// The task of a run whose length is settled. Throws Error where it does not fit the model, or the weights to begin
// with.
std::unique_ptr<Task> makeTask(const RunConfig &config, const ModelShape &model, const TaskRegistry &tasks);

// Takes the terms of the loss and the factors of weights that the program was compiled with where nobody says. Throws
// Error where others are asked for.
void settleCompiled(RunConfig &config, const stretto_program &program);

// Throws Error where the run directory has checkpoints and is not to be gone on with.
void checkNew(const RunConfig &config);

// Throws Error where the device is missing, the run directory taken, files to start from are missing or not what they
// must be, or files to write cannot be written; of several ranks one is the writer. Changes nothing.
void checkRequest(const RunConfig &config, const ModelShape &model, const TaskRegistry &tasks, bool isWriter = true);

} // namespace stretto::runtime
