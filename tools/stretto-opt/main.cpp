//===- main.cpp - stretto-opt: mlir-opt for Stretto's dialects and passes -----===//
#include "codegen/pipelines/Pipelines.h"
#include "ir/Register.h"
#include "passes/Passes.h"
#include "tools/stretto-opt/RenamedPasses.h"
#include "tools/support/extensions.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  if (std::string problem = stretto::tools::describeRenamedPass(argc, argv); !problem.empty()) {
    llvm::errs() << "stretto-opt: " << problem << "\n";
    return 1;
  }
  stretto::tools::addExtensions();
  mlir::DialectRegistry registry;
  stretto::registerModelDialects(registry);
  stretto::codegen::registerCodegenDialects(registry);
  mlir::registerTransformsPasses();
  stretto::passes::registerPasses();
  stretto::codegen::registerCodegenPasses();
  stretto::codegen::registerPipelines();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Stretto optimizer driver\n", registry));
}
