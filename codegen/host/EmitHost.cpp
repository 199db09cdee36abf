//===- EmitHost.cpp - make the host code and the table of the program ---------===//
#include "codegen/host/Passes.h"
#include "codegen/host/Tables.h"
#include "codegen/memory/Entries.h"
#include "codegen/memory/Slots.h"
#include "codegen/memory/Timeline.h"
#include "ir/kern/Attributes.h"
#include "ir/seq/ModelFacts.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_EMITHOST
#include "codegen/host/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
struct EmitHostPass : stretto::codegen::impl::EmitHostBase<EmitHostPass> {
  EmitHostPass() = default;
  explicit EmitHostPass(StringRef stage) : stage(stage) {}

  void runOnOperation() final {
    ModuleOp module = getOperation();
    if (!stage.empty())
      module->setAttr(continuedFromAttr, StringAttr::get(&getContext(), stage));
    if (!module->hasAttr(kern::arenasAttr)) {
      emitError(module.getLoc()) << "memory must be planned before host code is made";
      return signalPassFailure();
    }
    if (failed(requireSlots(module)))
      return signalPassFailure();
    FailureOr<ProgramFacts> facts = collectFacts(module);
    if (failed(facts))
      return signalPassFailure();
    SmallVector<func::FuncOp> functions;
    if (failed(emitFunctions(*facts, functions)) || failed(emitTables(module, *facts)))
      return signalPassFailure();
    for (func::FuncOp function : functions)
      function.erase();
    eraseDescribed(module);
  }

private:
  /// Host code of each entry point and of the bodies that it calls; `made` is what it was made from.
  LogicalResult emitFunctions(ProgramFacts &facts, SmallVectorImpl<func::FuncOp> &made) {
    for (func::FuncOp entry : entryFunctions(getOperation())) {
      const Timeline timeline(entry);
      for (func::FuncOp function : timeline.functions()) {
        bool isBody = function != entry;
        if (isBody)
          function->setAttr(kern::bodyAttr, UnitAttr::get(&getContext()));
        if (failed(emitFunction(function, isBody, facts)))
          return failure();
        made.push_back(function);
      }
    }
    return success();
  }

  /// Removes what tables and host code say: of the model, and of kernels all but their code.
  static void eraseDescribed(ModuleOp module) {
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<seq::ParameterOp, seq::CacheOp, kern::DeviceKernelOp>(op))
        op.erase();
    eraseAttributes(module);
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      eraseAttributes(function);
      if (!function.isExternal() && function.getLinkage() == LLVM::Linkage::External)
        makeLocal(function);
    }
  }

  /// What has been said by the tables is not said again.
  static void eraseAttributes(Operation *op) {
    for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
      if (attribute.getName().strref().starts_with("kern.") || attribute.getName().strref().starts_with("seq."))
        op->removeDiscardableAttr(attribute.getName());
  }

  /// Of a kernel: only the tables know it, and its address means nothing, so that equal kernels can be one.
  static void makeLocal(LLVM::LLVMFuncOp function) {
    function.setLinkage(LLVM::Linkage::Internal);
    function.setUnnamedAddr(LLVM::UnnamedAddr::Global);
  }

  LogicalResult emitFunction(func::FuncOp function, bool isBody, ProgramFacts &facts) {
    HostBuilder b(getOperation(), function.getLoc(), hostFunctionName(function.getName()), isBody);
    for (Operation &op : function.getBody().front().without_terminator())
      if (failed(emitCall(b, &op, facts.numbers, facts.sites)))
        return failure();
    b.finish();
    return success();
  }

  std::string stage; // the text that was continued
};
} // namespace

std::unique_ptr<Pass> stretto::codegen::createEmitHost(StringRef stage) {
  return std::make_unique<EmitHostPass>(stage);
}
