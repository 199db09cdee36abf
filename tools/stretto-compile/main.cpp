//===- main.cpp - stretto-compile: from a spec to a program -------------------===//
#include "tools/stretto-compile/Driver.h"
#include "tools/stretto-compile/Output.h"
#include "tools/support/extensions.h"
#include "tools/support/streams.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  stretto::tools::outliveFileLimit();
  stretto::tools::addExtensions();
  std::string error;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::optional<stretto::tools::CommandLine> line = stretto::tools::parseCommandLine(arguments, error);
  if (!line) {
    llvm::errs() << "stretto: " << error << "\n";
    return 2;
  }
  if (!line->help && !line->version)
    return stretto::tools::runCommand(*line);
  error = stretto::tools::printText(line->help ? stretto::tools::helpText(line->command)
                                               : "stretto-compile " STRETTO_VERSION "\n");
  if (error.empty())
    return 0;
  llvm::errs() << "stretto: " << error << "\n";
  return 1;
}
