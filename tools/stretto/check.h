// What is wrong with a run, before a program is compiled for it.
#pragma once

#include "tools/stretto/train.h"

namespace stretto::tools {

// Throws CommandError where a run would write a file of the user in place of its spec.
void checkOutputs(const TrainArguments &arguments);

// Asks stretto-check beside this program. Throws CommandError with an empty text where it has said what is wrong; does
// nothing where it was not built.
void checkRun(const TrainArguments &arguments);

// Has the compiler read the spec with what the options set. Throws CommandError with an empty text where it has said
// what is wrong; does nothing for a stage, and where it was not built.
void checkSpec(const TrainArguments &arguments);

// What a file for --config tells the compiler, as options. None where it cannot be read, which checkRun tells, or where
// stretto-check was not built.
std::vector<std::string> compilerWordsOf(const std::string &configFile);

// What the options of programs mean, as stretto-check says; empty where it was not built.
std::string askForProgramOptions();

} // namespace stretto::tools
