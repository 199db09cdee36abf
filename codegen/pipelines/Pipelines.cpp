//===- Pipelines.cpp - the order of passes ------------------------------------===//
#include "codegen/pipelines/Pipelines.h"

#include "codegen/host/Passes.h"
#include "codegen/memory/Passes.h"
#include "codegen/pipelines/Passes.h"
#include "codegen/pipelines/Stage.h"
#include "codegen/rows/Passes.h"
#include "passes/Passes.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

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
  passes.addPass(createEmitHost());
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

namespace {
struct PhaseOptions : PassPipelineOptions<PhaseOptions> {
  PassOptions::Option<std::string> fuse{*this, "fuse", llvm::cl::desc("all, always, rows or none"),
                                        llvm::cl::init("all")};
  PassOptions::Option<int64_t> memoryBudget{
      *this, "memory-budget",
      llvm::cl::desc(
          "bytes that saved values may take; 0: where a byte saves as many that are moved as the target says"),
      llvm::cl::init(0)};
  PassOptions::Option<int64_t> headBytes{
      *this, "head-bytes", llvm::cl::desc("largest logits that are held at once; 0: what suits the target"),
      llvm::cl::init(PipelineOptions().headBytes)};
  PassOptions::Option<int64_t> bucketBytes{
      *this, "bucket-bytes", llvm::cl::desc("least bytes of a bucket that ranks exchange; 0: what suits the target"),
      llvm::cl::init(PipelineOptions().bucketBytes)};
  PassOptions::Option<std::string> activations{
      *this, "activations", llvm::cl::desc("bf16, or empty: the type of the parameters"), llvm::cl::init("")};
  PassOptions::Option<std::string> cpu{*this, "cpu", llvm::cl::desc("the machine, as LLVM names it"),
                                       llvm::cl::init("native")};
  PassOptions::Option<std::string> target{*this, "target", llvm::cl::desc("the name of a backend"),
                                          llvm::cl::init(allBackends().front()->name().str())};
  PassOptions::Option<std::string> chip{*this, "chip", llvm::cl::desc("architecture of the device"),
                                        llvm::cl::init("")};
  PassOptions::Option<std::string> cudaPath{*this, "cuda-path", llvm::cl::desc("cuda: folder of the toolkit"),
                                            llvm::cl::init("")};
  PassOptions::Option<bool> emulate{*this, "emulate", llvm::cl::desc("kernels for the emulator"),
                                    llvm::cl::init(false)};
  PassOptions::Option<int64_t> decode{
      *this, "decode", llvm::cl::desc("tokens of a chunk of the decode entries; 0: none"), llvm::cl::init(0)};
  PassOptions::Option<std::string> schedules{
      *this, "schedules",
      llvm::cl::desc("PATTERN:FIELD=NUMBER,FIELD=NUMBER of some kernels; several apart by semicolons"),
      llvm::cl::init("")};
};
} // namespace

using ErrorHandler = llvm::function_ref<LogicalResult(const llvm::Twine &)>;

/// Reports a word that is none of those that an option takes.
static LogicalResult requireOneOf(llvm::StringRef name, llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> words,
                                  ErrorHandler error) {
  if (llvm::is_contained(words, word))
    return success();
  return error(name + " must be one of " + llvm::join(words, ", ") + ", but got '" + word + "'");
}

/// Reports an option that no phase takes so.
static LogicalResult check(const PhaseOptions &options, ErrorHandler error) {
  const auto targets =
      llvm::map_to_vector(allBackends(), [](const Backend *backend) -> llvm::StringRef { return backend->name(); });
  if (failed(requireOneOf("fuse", options.fuse, fuseWords, error)) ||
      failed(requireOneOf("target", options.target, targets, error)))
    return failure();
  if (!options.activations.empty() && options.activations != "bf16")
    return error("activations must be bf16, but got '" + llvm::Twine(options.activations) + "'");
  const std::pair<llvm::StringRef, int64_t> numbers[] = {{"memory-budget", options.memoryBudget},
                                                         {"head-bytes", options.headBytes},
                                                         {"bucket-bytes", options.bucketBytes},
                                                         {"decode", options.decode}};
  for (auto [name, number] : numbers)
    if (number < 0)
      return error(name + " must be at least 0, but got " + llvm::Twine(number));
  return success();
}

/// The options as a record; reports those that no phase or target takes.
static FailureOr<PipelineOptions> resolve(const PhaseOptions &options, ErrorHandler error) {
  if (failed(check(options, error)))
    return failure();
  PipelineOptions result{options.fuse,
                         options.memoryBudget,
                         options.headBytes,
                         options.bucketBytes,
                         options.cpu,
                         options.activations,
                         options.decode,
                         findBackend(options.target),
                         {options.chip, options.cudaPath, options.emulate},
                         options.schedules};
  if (failed(result.backend->resolve(result.settings, ModuleOp(), [&](const llvm::Twine &text) { (void)error(text); })))
    return failure();
  return result;
}

void stretto::codegen::registerPipelines() {
  for (Phase phase : allPhases)
    registerPassPipeline(("stretto-" + nameOf(phase)).str(), ("into the phase " + nameOf(phase)).str(),
                         [phase](OpPassManager &passes, llvm::StringRef text, ErrorHandler error) -> LogicalResult {
                           PhaseOptions options;
                           if (failed(options.parseFromString(text)))
                             return failure();
                           FailureOr<PipelineOptions> resolved = resolve(options, error);
                           if (succeeded(resolved))
                             addPhase(passes, phase, *resolved);
                           return resolved;
                         },
                         [](llvm::function_ref<void(const detail::PassOptions &)> handle) { handle(PhaseOptions()); });
}
