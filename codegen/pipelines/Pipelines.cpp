//===- Pipelines.cpp - the order of passes ------------------------------------===//
#include "codegen/pipelines/Pipelines.h"

#include "codegen/host/Passes.h"
#include "codegen/memory/Passes.h"
#include "codegen/pipelines/Passes.h"
#include "codegen/pipelines/Stage.h"
#include "codegen/rows/Passes.h"
#include "passes/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

llvm::StringRef stretto::codegen::nameOf(Phase phase) {
  switch (phase) {
  case Phase::train:
    return "train";
  case Phase::fused:
    return "fused";
  case Phase::kernels:
    return "kernels";
  case Phase::nvvm:
    return "nvvm";
  case Phase::llvm:
    return "llvm";
  }
  llvm_unreachable("unknown phase");
}

static void addCleanup(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

/// What later passes read from the module.
static void addFacts(OpPassManager &passes, const PipelineOptions &options) {
  if (!options.activations.empty())
    passes.addPass(passes::createSetActivationType({options.activations}));
}

static void addTrain(OpPassManager &passes, const PipelineOptions &options) {
  addFacts(passes, options);
  passes.addPass(createInlinerPass());
  passes.addPass(createSymbolDCEPass());
  passes.addPass(passes::createSeparateScans());
  passes.addPass(passes::createMergeMatmuls());
  if (options.decode) {
    passes.addPass(passes::createDecompose());
    passes.addPass(passes::createAddDecode({options.decode}));
  }
  passes.addPass(passes::createAddLoss({options.headBytes ? options.headBytes : options.backend->headBytes()}));
  passes.addPass(passes::createDecompose());
  passes.addPass(passes::createMaskDocuments());
  passes.addPass(passes::createGivePositions());
  passes.addPass(passes::createGiveDropoutKeys());
  addCleanup(passes);
  passes.addPass(passes::createDifferentiate());
  addCleanup(passes);
  passes.addPass(passes::createSimplifyTaps());
  passes.addNestedPass<func::FuncOp>(passes::createSimplifyArithmetic());
  const passes::CostModel costs = options.backend->costModel();
  passes.addPass(passes::createChooseSaved({options.memoryBudget, costs.operationsPerByte, costs.savedByteWeight}));
  passes.addPass(passes::createSplitSaved());
  addCleanup(passes);
  passes.addNestedPass<func::FuncOp>(passes::createSinkRepeated());
  passes.addPass(passes::createChooseSegments({options.memoryBudget}));
  passes.addPass(passes::createSetSegments());
  passes.addPass(createSymbolDCEPass());
}

static void addFused(OpPassManager &passes, const PipelineOptions &options) {
  addFacts(passes, options);
  const passes::CostModel costs = options.backend->costModel();
  bool fusesRows = options.fuse != "none";
  if (fusesRows && options.backend->fusesResiduals())
    passes.addPass(passes::createFuseResiduals());
  if (fusesRows)
    passes.addPass(passes::createSplitCarry());
  passes.addPass(passes::createFormGroups({fusesRows ? "all" : "none", costs.operationsPerByte, costs.blockRows,
                                           costs.heldRows, costs.heldBytes, costs.keptRows}));
  if (fusesRows)
    passes.addPass(passes::createDuplicateProducers({costs.operationsPerByte, costs.keptRows}));
  passes.addPass(passes::createOutlineGroups());
  addCleanup(passes);
  passes.addNestedPass<func::FuncOp>(passes::createSinkRepeated()); // kernels now, which came as early as they could
  passes.addPass(passes::createRoundActivations());
  if (int64_t alignment = options.backend->logitsAlignment())
    passes.addPass(createPadLogits({alignment}));
  if (options.fuse == "all" || options.fuse == "always")
    options.backend->addEpilogues(passes, options.settings, options.cpu, options.fuse == "always");
  passes.addPass(passes::createAddOptimizer());
}

static void addKernels(OpPassManager &passes, const PipelineOptions &options) {
  options.backend->addSchedules(passes, options.settings, options.cpu, options.schedules);
  passes.addPass(createSplitColumnSums());
  passes.addPass(createOrderWork());
  if (options.backend->fusesSums()) {
    passes.addPass(createChooseFusedSums());
    passes.addPass(createFuseSums());
  }
  passes.addPass(createPlanMemory());
  passes.addPass(createChooseBuckets({options.bucketBytes ? options.bucketBytes : options.backend->bucketBytes()}));
}

static void addNVVM(OpPassManager &passes, const PipelineOptions &options) {
  options.backend->addDeviceKernels(passes, options.settings);
}

void stretto::codegen::addResources(OpPassManager &passes, const PipelineOptions &options) {
  options.backend->addResources(passes, options.settings);
}

static void addLLVM(OpPassManager &passes, const PipelineOptions &options) {
  options.backend->addHostKernels(passes, options.settings, options.cpu);
  passes.addPass(createEmitHost(options.continuedFrom));
}

/// The stage that a phase goes on from. Only where there is device code does `nvvm` differ from `kernels`.
static std::optional<Phase> before(Phase phase, const Backend &backend) {
  if (phase == Phase::train)
    return std::nullopt;
  auto previous = static_cast<Phase>(static_cast<int>(phase) - 1);
  return previous == Phase::nvvm && !backend.hasDeviceCode() ? Phase::kernels : previous;
}

void stretto::codegen::addPhase(OpPassManager &passes, Phase phase, const PipelineOptions &options) {
  passes.addPass(createExpectStage({stageName(before(phase, *options.backend)).str()}));
  switch (phase) {
  case Phase::train:
    return addTrain(passes, options);
  case Phase::fused:
    return addFused(passes, options);
  case Phase::kernels:
    return addKernels(passes, options);
  case Phase::nvvm:
    return addNVVM(passes, options);
  case Phase::llvm:
    return addLLVM(passes, options);
  }
}
