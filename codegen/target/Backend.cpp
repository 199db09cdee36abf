//===- Backend.cpp - what a backend does if it says nothing ---------------------===//
#include "codegen/target/Backend.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

LogicalResult Backend::resolve(BackendSettings &, ModuleOp, Report) const { return success(); }
void Backend::describe(ModuleOp, const BackendSettings &) const {}
int64_t Backend::documentRoom(const BackendSettings &, int64_t, int64_t, int64_t) const { return 0; }
void Backend::addDeviceKernels(OpPassManager &, const BackendSettings &) const {}
void Backend::addResources(OpPassManager &, const BackendSettings &) const {}
LogicalResult Backend::findTools(const BackendSettings &, Report) const { return success(); }

LogicalResult Backend::printDeviceCode(ModuleOp module, const BackendSettings &, llvm::StringRef text,
                                       llvm::raw_ostream &) const {
  return module.emitError() << "there is no " << text << " for " << name();
}

LogicalResult Backend::printKernelCosts(ModuleOp, const BackendSettings &, llvm::raw_ostream &) const {
  return success();
}

llvm::ArrayRef<BackendLibrary> Backend::libraries(const BackendSettings &) const { return {}; }
