//===- Stage.cpp - how far a module has come ------------------------------===//
#include "codegen/pipelines/Stage.h"

#include "codegen/host/Parameters.h"
#include "codegen/pipelines/Passes.h"
#include "ir/kern/Attributes.h"
#include "ir/kern/KernOps.h"
#include "ir/seq/Purpose.h"
#include "passes/autodiff/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_EXPECTSTAGE
#include "codegen/pipelines/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static bool hasEntry(ModuleOp module, seq::EntryKind kind) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [&](func::FuncOp function) { return isEntry(function, kind); });
}

/// What the front end makes of a spec. Blocks are private and may have any name.
static bool hasMain(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  return function && function.isPublic();
}

/// The first operation inside the module that satisfies `test`; null if there is none.
static Operation *findInside(ModuleOp module, llvm::function_ref<bool(Operation *)> test) {
  Operation *found = nullptr;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!test(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

std::optional<Phase> stretto::codegen::phaseOf(ModuleOp module) {
  if (module.lookupSymbol<LLVM::GlobalOp>("stretto_compiled_program"))
    return Phase::llvm;
  if (!module.getOps<gpu::GPUModuleOp>().empty())
    return Phase::nvvm;
  if (module->hasAttr(kern::arenasAttr))
    return Phase::kernels;
  if (hasEntry(module, seq::EntryKind::optimizer) ||
      findInside(module, [](Operation *op) { return isa<kern::RowwiseOp>(op); }))
    return Phase::fused;
  if (hasEntry(module, seq::EntryKind::training))
    return Phase::train;
  return std::nullopt;
}

StringRef stretto::codegen::stageName(std::optional<Phase> phase) { return phase ? nameOf(*phase) : "seq"; }

Operation *stretto::codegen::findUnfinished(ModuleOp module) {
  if (Operation *op = findInside(module, [](Operation *op) {
        return isa<seq::BackwardOp>(op) || op->hasAttr(passes::kIdAttr) || op->hasAttr(kern::groupAttr);
      }))
    return op;
  bool lacksOptimizer = phaseOf(module) == Phase::fused && !hasEntry(module, seq::EntryKind::optimizer);
  return lacksOptimizer ? findInside(module, [](Operation *op) { return isa<kern::RowwiseOp>(op); }) : nullptr;
}

bool stretto::codegen::holdsModel(ModuleOp module) { return phaseOf(module) || hasMain(module); }

namespace {
struct ExpectStagePass : stretto::codegen::impl::ExpectStageBase<ExpectStagePass> {
  using ExpectStageBase::ExpectStageBase;

  LogicalResult initialize(MLIRContext *context) final {
    SmallVector<StringRef> stages{stageName(std::nullopt)};
    llvm::append_range(stages, llvm::map_range(allPhases, nameOf));
    if (llvm::is_contained(stages, StringRef(stage)))
      return success();
    return emitError(UnknownLoc::get(context))
           << "stage must be one of " << llvm::join(stages, ", ") << ", but got '" << stage << "'";
  }

  void runOnOperation() final {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    std::optional<Phase> phase = phaseOf(module);
    if (Operation *op = findUnfinished(module))
      op->emitOpError() << "must be gone at the stage '" << stage
                        << "': the module is in the middle of a phase, go on with the passes that are left";
    else if (stageName(phase) != stage)
      emitError(module.getLoc()) << "the module must be at the stage '" << stage << "', but is at '" << stageName(phase)
                                 << "'";
    else if (!holdsModel(module))
      emitError(module.getLoc()) << "the module must hold a function @main, as the front end makes it";
    else if (succeeded(checkWeightNames(module)))
      return;
    signalPassFailure();
  }
};
} // namespace
