// `stretto train`: compiles a spec through the cache and becomes the program.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stretto::tools {

// Whether a word names a file to compile: a spec, or a stage of one.
bool isSpec(const std::string &word);

// The arguments of `stretto train`, told apart.
struct TrainArguments {
  std::string spec;
  std::vector<std::string> compiler;       // options of stretto-compile, with their values
  std::vector<std::string> program;        // all others: options of the training program
  std::optional<std::string> surplus = {}; // the first argument that is no option and not the spec
  std::string resumed = {};                // without a spec: the run directory that tells it
};

// The spec is the first argument that ends in ".stretto" (or ".mlir": IR to continue) and is no option's value. Options
// that only the compiler knows go to it, those that name the task to both, everything else and all that follows "--" to
// the program. Without a spec, `--resume --out RUN` is a run that goes on (`resumed`). Throws CommandError where the
// spec or an option's value is missing, there is more than a spec, or no table of options.h has an option.
TrainArguments splitTrainArguments(std::span<const std::string> arguments);

// The spec among the arguments; "" where there is none.
std::string specOf(std::span<const std::string> arguments);

// The program that a run which goes on keeps, if no option asks for another one and it starts; else "".
std::string keptProgram(const TrainArguments &arguments);
// Takes the spec, or the stage that its program was compiled from, and options of the compiler of a run that goes on.
// Throws CommandError where the run does not tell them.
void takeResumedSpec(TrainArguments &arguments);

// The arguments of `stretto eval`: those of `stretto train` without a step and a run directory. A first word that is no
// option and no spec stands for --init-from. Without a spec, the run directory that the weights lie in tells it, or the
// stage that it was compiled from, with the options it was compiled with and the settings of the run. Throws
// CommandError where weights or spec are missing.
TrainArguments evaluationArguments(std::span<const std::string> arguments);

// The same for `generate`: the program goes on with prompts.
TrainArguments generationArguments(std::span<const std::string> arguments);

// A digest of the text of the spec and of all it imports. Throws CommandError where the spec cannot be read.
std::string specDigest(const TrainArguments &arguments);

// The path of the program made from the spec with these compiler options; where the cache has none, calls `before` and
// compiles. What the compiler remarked, now or when the program was made, goes to the standard error. Throws
// CommandError; where the compiler fails it has said why, and the error's text is empty.
std::string cachedProgram(const TrainArguments &arguments, const std::function<void()> &before);

} // namespace stretto::tools
