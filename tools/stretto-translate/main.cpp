//===- main.cpp - stretto-translate: from Stretto's dialects to other languages -===//
#include "codegen/pytorch/EmitPyTorch.h"
#include "ir/Register.h"
#include "tools/support/extensions.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"

int main(int argc, char **argv) {
  stretto::tools::addExtensions();
  mlir::TranslateFromMLIRRegistration pytorch(
      "stretto-to-pytorch", "the model of a module in the seq stage as PyTorch source",
      [](mlir::ModuleOp module, llvm::raw_ostream &os) { return stretto::codegen::emitPyTorch(module, os); },
      [](mlir::DialectRegistry &registry) { stretto::registerModelDialects(registry); });
  return mlir::failed(mlir::mlirTranslateMain(argc, argv, "Stretto translation driver\n"));
}
