//===- main.cpp - stretto-opt: mlir-opt for Stretto's dialects and passes -----===//
#include "codegen/pipelines/Pipelines.h"
#include "ir/Register.h"
#include "passes/Passes.h"
#include "tools/stretto-compile/Output.h"
#include "tools/stretto-opt/RenamedPasses.h"
#include "tools/support/extensions.h"
#include "tools/support/streams.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace stretto::tools;

static int fail(llvm::StringRef problem) {
  llvm::errs() << "stretto-opt: " << problem << "\n";
  return 1;
}

/// Says at the end of the process, which --help brings about by itself, where not all that was printed was taken.
static void watchOutput() {
  llvm::outs(); // is there until after that
  std::atexit([] {
    if (std::string problem = printText(""); !problem.empty())
      std::_Exit(fail(problem));
  });
}

/// As mlir-opt does, but a file that is there, be it the input, is replaced only by what was made without an error.
static int optimize(llvm::StringRef input, llvm::StringRef output, mlir::DialectRegistry &registry) {
  bool isPrinted = output == "-";
  if (std::string problem = isPrinted ? "" : whyNotWritable(output); !problem.empty())
    return fail(problem);
  std::string problem, text;
  auto buffer = mlir::openInputFile(input, &problem);
  if (!buffer)
    return fail(problem);
  llvm::raw_string_ostream os(text);
  bool isGood =
      succeeded(mlir::MlirOptMain(os, std::move(buffer), registry, mlir::MlirOptMainConfig::createFromCLOptions()));
  if (isPrinted)
    problem = printText(text);
  else if (isGood)
    problem = writeFile(output, text);
  if (!problem.empty())
    return fail(problem);
  return isGood ? 0 : 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  outliveFileLimit();
  watchOutput();
  if (std::string problem = describeRenamedPass(argc, argv); !problem.empty())
    return fail(problem);
  addExtensions();
  mlir::DialectRegistry registry;
  stretto::registerModelDialects(registry);
  stretto::codegen::registerCodegenDialects(registry);
  mlir::registerTransformsPasses();
  stretto::passes::registerPasses();
  stretto::codegen::registerCodegenPasses();
  stretto::codegen::registerPhases();
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "Stretto optimizer driver\n", registry);
  const mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
  return optimize(input, output, registry);
}
