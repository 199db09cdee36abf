//===- Pipelines.cpp - the order of passes ------------------------------------===//
#include "codegen/Pipelines/Pipelines.h"

#include "codegen/cpu/Passes.h"
#include "codegen/cuda/Passes.h"
#include "codegen/cuda/binary/Passes.h"
#include "codegen/emulator/Passes.h"
#include "codegen/host/Passes.h"
#include "codegen/memory/Passes.h"
#include "codegen/optimizer/Passes.h"
#include "passes/Passes.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace stretto;

llvm::StringRef stretto::nameOf(Phase phase) {
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
    passes.addPass(createSetActivationType({options.activations}));
}

/// The logits of a CPU stay in its caches; a GPU wants products that fill it.
static int64_t headBytesOf(const PipelineOptions &options) {
  if (options.headBytes)
    return options.headBytes;
  return options.target == "cuda" ? 256 << 20 : 4 << 20;
}

static void addTrain(OpPassManager &passes, const PipelineOptions &options) {
  addFacts(passes, options);
  passes.addPass(createInlinerPass());
  passes.addPass(createSymbolDCEPass());
  passes.addPass(createSeparateScans());
  passes.addPass(createMergeProducts());
  if (options.decode) {
    passes.addPass(createDecompose());
    passes.addPass(createAddDecode({options.decode}));
  }
  passes.addPass(createAddLoss({headBytesOf(options)}));
  passes.addPass(createDecompose());
  passes.addPass(createSeparateDocuments());
  addCleanup(passes);
  passes.addPass(createDifferentiate());
  addCleanup(passes);
  passes.addPass(createSimplifyTaps());
  passes.addPass(createChooseSaved({options.memoryBudget}));
  passes.addPass(createSplitSaved());
  addCleanup(passes);
  passes.addPass(createSymbolDCEPass());
}

static void addFused(OpPassManager &passes, const PipelineOptions &options) {
  addFacts(passes, options);
  if (options.fuse == "all")
    passes.addPass(createSplitCarry());
  passes.addPass(createFormGroups({options.fuse}));
  if (options.fuse == "all")
    passes.addPass(createRepeatCheap());
  passes.addPass(createOutlineGroups());
  addCleanup(passes);
  passes.addPass(createRoundActivations());
  passes.addPass(createAddOptimizer());
}

static void addKernels(OpPassManager &passes, const PipelineOptions &options) {
  if (options.target == "cuda") {
    passes.addPass(createChooseCudaSchedule());
  } else {
    ChooseScheduleOptions schedule;
    schedule.cpu = options.cpu;
    passes.addPass(createChooseSchedule(schedule));
  }
  passes.addPass(createSplitColumnSums());
  passes.addPass(createOrderWork());
  passes.addPass(createPlanMemory());
}

static void addNVVM(OpPassManager &passes, const PipelineOptions &options) {
  if (options.target == "cuda")
    passes.addPass(createLowerCudaKernels());
}

void stretto::addResources(OpPassManager &passes, const PipelineOptions &options) {
  if (options.target != "cuda" || options.emulate)
    return;
  addNVVM(passes, options);
  passes.addPass(createReportCudaResources({options.chip, options.cudaPath}));
}

static void addLLVM(OpPassManager &passes, const PipelineOptions &options) {
  if (options.target != "cuda")
    passes.addPass(createLowerKernels({options.cpu}));
  else if (options.emulate)
    passes.addPass(createEmulateCudaKernels());
  else
    passes.addPass(createEmbedCudaBinaries({options.chip, options.cudaPath}));
  passes.addPass(createEmitHost());
}

void stretto::addPhase(OpPassManager &passes, Phase phase, const PipelineOptions &options) {
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

namespace {
struct PhaseOptions : PassPipelineOptions<PhaseOptions> {
  PassOptions::Option<std::string> fuse{*this, "fuse", llvm::cl::desc("all or none"), llvm::cl::init("all")};
  PassOptions::Option<int64_t> memoryBudget{*this, "memory-budget",
                                            llvm::cl::desc("bytes that saved values may take; 0: no limit"),
                                            llvm::cl::init(0)};
  PassOptions::Option<int64_t> headBytes{*this, "head-bytes", llvm::cl::desc("largest logits that are held at once; 0: what suits the target"),
                                         llvm::cl::init(PipelineOptions().headBytes)};
  PassOptions::Option<std::string> activations{
      *this, "activations", llvm::cl::desc("bf16, or empty: the type of the parameters"), llvm::cl::init("")};
  PassOptions::Option<std::string> cpu{*this, "cpu", llvm::cl::desc("the machine, as LLVM names it"),
                                       llvm::cl::init("native")};
  PassOptions::Option<std::string> target{*this, "target", llvm::cl::desc("cpu or cuda"), llvm::cl::init("cpu")};
  PassOptions::Option<std::string> chip{*this, "chip", llvm::cl::desc("cuda: the GPU architecture"),
                                        llvm::cl::init(PipelineOptions().chip)};
  PassOptions::Option<std::string> cudaPath{*this, "cuda-path", llvm::cl::desc("cuda: folder of the toolkit"),
                                            llvm::cl::init("")};
  PassOptions::Option<bool> emulate{*this, "emulate", llvm::cl::desc("cuda: kernels for the emulator"),
                                    llvm::cl::init(false)};
  PassOptions::Option<int64_t> decode{*this, "decode", llvm::cl::desc("tokens of a chunk of the decode entries; 0: none"),
                                      llvm::cl::init(0)};
};
} // namespace

void stretto::registerPipelines() {
  for (Phase phase : allPhases)
    PassPipelineRegistration<PhaseOptions>(
        ("stretto-" + nameOf(phase)).str(), ("into the phase " + nameOf(phase)).str(),
        [phase](OpPassManager &passes, const PhaseOptions &options) {
          addPhase(passes, phase, {options.fuse, options.memoryBudget, options.headBytes, options.cpu, options.activations,
                                   options.target, options.chip, options.cudaPath, options.emulate, options.decode});
        });
}
