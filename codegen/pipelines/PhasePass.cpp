//===- PhasePass.cpp - phases as passes of stretto-opt --------------------------===//
#include "codegen/pipelines/MadeFor.h"
#include "codegen/pipelines/Stage.h"
#include "ir/Register.h"
#include "ir/kern/Attributes.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static SmallVector<StringRef> targetNames() {
  return llvm::map_to_vector(allBackends(), [](const Backend *backend) { return backend->name(); });
}

/// Reports a word that is none of those that `name` takes.
static LogicalResult requireOneOf(StringRef name, StringRef word, ArrayRef<StringRef> words, Location loc) {
  if (llvm::is_contained(words, word))
    return success();
  return emitError(loc) << name << " must be one of " << llvm::join(words, ", ") << ", but got '" << word << "'";
}

namespace {
/// Which passes a phase has depends on the module: it goes on for the target that it was made for, unless an option
/// names another one.
class PhasePass : public PassWrapper<PhasePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PhasePass)

  explicit PhasePass(Phase phase)
      : phase(phase), argument(("stretto-" + nameOf(phase)).str()),
        description(("into the phase " + nameOf(phase)).str()) {}
  PhasePass(const PhasePass &other) : PhasePass(other.phase) {}

  StringRef getArgument() const final { return argument; }
  StringRef getDescription() const final { return description; }

  /// Those of all passes that there are.
  void getDependentDialects(DialectRegistry &registry) const final {
    registerModelDialects(registry);
    registerCodegenDialects(registry);
  }

  LogicalResult initialize(MLIRContext *context) final;
  void runOnOperation() final;

private:
  FailureOr<PipelineOptions> resolve(ModuleOp module);

  Phase phase;
  std::string argument, description;

  Option<std::string> fuse{*this, "fuse", llvm::cl::desc("all, always, rows or none"), llvm::cl::init("all")};
  Option<int64_t> memoryBudget{
      *this, "memory-budget",
      llvm::cl::desc(
          "bytes that saved values may take; 0: where a byte saves as many that are moved as the target says"),
      llvm::cl::init(0)};
  Option<int64_t> headBytes{*this, "head-bytes",
                            llvm::cl::desc("largest logits that are held at once; 0: what suits the target"),
                            llvm::cl::init(PipelineOptions().headBytes)};
  Option<int64_t> bucketBytes{*this, "bucket-bytes",
                              llvm::cl::desc("least bytes of a bucket that ranks exchange; 0: what suits the target"),
                              llvm::cl::init(PipelineOptions().bucketBytes)};
  Option<std::string> activations{*this, "activations", llvm::cl::desc("bf16, or empty: the type of the parameters"),
                                  llvm::cl::init("")};
  Option<std::string> cpu{*this, "cpu",
                          llvm::cl::desc("the machine, as LLVM names it; empty: that of the module, or native"),
                          llvm::cl::init("")};
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("the name of a backend; empty: that of the module, or the first one"),
                             llvm::cl::init("")};
  Option<std::string> chip{*this, "chip", llvm::cl::desc("architecture of the device"), llvm::cl::init("")};
  Option<std::string> cudaPath{*this, "cuda-path", llvm::cl::desc("cuda: folder of the toolkit"), llvm::cl::init("")};
  Option<bool> emulate{*this, "emulate", llvm::cl::desc("kernels for the emulator"), llvm::cl::init(false)};
  Option<int64_t> decode{*this, "decode", llvm::cl::desc("tokens of a chunk of the decode entries; 0: none"),
                         llvm::cl::init(0)};
  Option<std::string> schedules{
      *this, "schedules",
      llvm::cl::desc("PATTERN:FIELD=NUMBER,FIELD=NUMBER of some kernels; several apart by semicolons"),
      llvm::cl::init("")};
};
} // namespace

/// Reports an option that no phase takes so.
LogicalResult PhasePass::initialize(MLIRContext *context) {
  Location loc = UnknownLoc::get(context);
  if (failed(requireOneOf("fuse", fuse, fuseWords, loc)) ||
      (!target.empty() && failed(requireOneOf("target", target, targetNames(), loc))))
    return failure();
  if (!activations.empty() && activations != "bf16")
    return emitError(loc) << "activations must be bf16, but got '" << activations << "'";
  const std::pair<StringRef, int64_t> numbers[] = {
      {"memory-budget", memoryBudget}, {"head-bytes", headBytes}, {"bucket-bytes", bucketBytes}, {"decode", decode}};
  for (auto [name, number] : numbers)
    if (number < 0)
      return emitError(loc) << name << " must be at least 0, but got " << number;
  return success();
}

/// What the options say and, where they do not, the module, on which it is written then. Reports what cannot be.
FailureOr<PipelineOptions> PhasePass::resolve(ModuleOp module) {
  std::optional<MadeFor> made = madeFor(module);
  if (made && failed(requireOneOf(kern::targetAttr, made->target, targetNames(), module.getLoc())))
    return failure();
  StringRef name = !target.empty() ? StringRef(target) : made ? made->target : allBackends().front()->name();
  const Backend &backend = *findBackend(name);
  BackendSettings settings;
  settings.chip = chip;
  settings.cudaPath = cudaPath;
  settings.emulate = emulate || (made && made->target == name && made->emulate);
  auto report = [&](const llvm::Twine &problem) { module.emitError() << problem; };
  std::string cpuName = cpu.empty() ? cpuOf(module) : std::string(cpu);
  auto machine = Target::resolve(cpuName, report);
  if (failed(machine) || failed(backend.resolve(settings, module, report)))
    return failure();
  if (made && made->target != name && !canGoOnFor(module, phaseOf(module), backend))
    return module.emitError() << "the module was made for target=" << made->target << ", but got target=" << name;
  bool isGiven = !target.empty() || !cpu.empty() || !chip.empty() || emulate;
  if (made || isGiven)
    describeTarget(module, backend, settings, *machine);
  return PipelineOptions{fuse,     memoryBudget, headBytes, bucketBytes,         cpuName, activations, decode,
                         &backend, settings,     schedules, /*continuedFrom=*/""};
}

void PhasePass::runOnOperation() {
  FailureOr<PipelineOptions> options = resolve(getOperation());
  if (failed(options))
    return signalPassFailure();
  OpPassManager passes(ModuleOp::getOperationName());
  addPhase(passes, phase, *options);
  if (failed(runPipeline(passes, getOperation())))
    signalPassFailure();
}

void stretto::codegen::registerPhases() {
  for (Phase phase : allPhases)
    registerPass([phase] { return std::make_unique<PhasePass>(phase); });
}
