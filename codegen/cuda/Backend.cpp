//===- Backend.cpp - programs for GPUs of NVIDIA's ------------------------------===//
#include "codegen/cuda/Backend.h"

#include "codegen/cuda/Passes.h"
#include "codegen/cuda/RollingRows.h"
#include "codegen/cuda/binary/Binary.h"
#include "codegen/cuda/binary/KernelTable.h"
#include "codegen/cuda/binary/Passes.h"
#include "codegen/emulator/Passes.h"
#include "codegen/rows/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// The chip whose kernels are made if nobody names one.
static constexpr StringRef usualChip = "sm_90a";

/// The one chip that multiplies as our matmuls do.
static constexpr StringLiteral chipOfMatmuls = "sm_90a";

static constexpr StringRef chipAttr = "kern.chip";

namespace {
class CudaBackend : public Backend {
public:
  StringRef name() const override { return "cuda"; }
  StringRef description() const override { return "a GPU of NVIDIA's"; }
  ArrayRef<StringRef> types() const override {
    static constexpr StringRef list[] = {"f32", "f64", "bf16"};
    return list;
  }
  ArrayRef<StringRef> options() const override {
    static constexpr StringRef list[] = {"--chip", "--cuda-path", "--emulate", "--max-documents"};
    return list;
  }
  ArrayRef<StringRef> deviceTexts() const override {
    static constexpr StringRef list[] = {"ptx", "sass"};
    return list;
  }
  bool hasDeviceCode() const override { return true; }
  int64_t headBytes() const override { return 1 << 30; }    // matmuls that fill it
  int64_t bucketBytes() const override { return 64 << 20; } // links that are full most of the time
  passes::CostModel costModel() const override {
    // An H200: 132 multiprocessors with 128 lanes at 1.75 GHz, 4.8 TB/s. A thread group walks 16 rows and more for each
    // that a tap reaches beside them, row by row, and holds a row in 128 registers of 512 threads. Memory is large:
    // where attention reads what Canon made, a step is to save its kernel, for a fifth more of it.
    return {.operationsPerByte = 6,
            .blockRows = 64,
            .heldRows = 1,
            .heldBytes = 256 << 10,
            .keptRows = mostReach,
            .savedByteWeight = 2};
  }
  bool fusesResiduals() const override { return true; }
  bool fusesSums() const override { return true; }
  int64_t logitsAlignment() const override { return widestAccess; }

  LogicalResult resolve(BackendSettings &settings, ModuleOp made, Report report) const override {
    if (auto chip = made ? made->getAttrOfType<StringAttr>(chipAttr) : StringAttr(); chip && settings.chip.empty())
      settings.chip = chip.str();
    auto chip = Chip::resolve(settings.chip.empty() ? usualChip : StringRef(settings.chip), report);
    if (succeeded(chip))
      settings.chip = chip->name.str();
    return chip;
  }

  void describe(ModuleOp module, const BackendSettings &settings) const override {
    module->setAttr(chipAttr, StringAttr::get(module.getContext(), settings.chip));
  }

  /// Attention wants to know where each document begins, and needs room for that.
  int64_t documentRoom(const BackendSettings &settings, int64_t batch, int64_t length, int64_t perRow) const override {
    int64_t usual = batch * (perRow ? perRow : llvm::divideCeil(length, 16)), most = batch * length;
    return std::min(settings.maxDocuments ? settings.maxDocuments : usual, most);
  }

  void addEpilogues(OpPassManager &passes, const BackendSettings &settings, StringRef,
                    bool wherePossible) const override {
    ChooseCudaEpiloguesOptions options;
    options.wherePossible = wherePossible;
    if (settings.chip != chipOfMatmuls)
      options.apart =
          ("matmuls with an epilogue are for " + chipOfMatmuls + ", and the chip is " + settings.chip).str();
    passes.addPass(createChooseCudaEpilogues(options));
    passes.addPass(createFuseEpilogues());
  }

  void addSchedules(OpPassManager &passes, const BackendSettings &settings, StringRef,
                    StringRef overrides) const override {
    ChooseCudaScheduleOptions options;
    options.overrides = overrides.str();
    ExpandMixersOptions mixers;
    mixers.sharedBytes = options.sharedOfBlock = sharedOfBlock(settings);
    passes.addPass(createExpandMixers(mixers));
    passes.addPass(createChooseCudaSchedule(options));
    passes.addPass(createNameCudaKernels());
  }

  void addDeviceKernels(OpPassManager &passes, const BackendSettings &settings) const override {
    passes.addPass(createLowerCudaKernels({sharedOfBlock(settings)}));
    passes.addPass(createCheckAsyncProxies());
  }

  void addResources(OpPassManager &passes, const BackendSettings &settings) const override {
    if (settings.emulate)
      return;
    passes.addPass(createLowerCudaKernels({sharedOfBlock(settings)}));
    passes.addPass(createReportCudaResources({settings.chip, settings.cudaPath}));
  }

  /// Kernels may have been edited since they were made.
  void addHostKernels(OpPassManager &passes, const BackendSettings &settings, StringRef) const override {
    passes.addPass(createCheckAsyncProxies());
    if (settings.emulate)
      passes.addPass(createEmulateCudaKernels());
    else
      passes.addPass(createEmbedCudaBinaries({settings.chip, settings.cudaPath}));
  }

  LogicalResult findTools(const BackendSettings &settings, Report report) const override {
    return settings.emulate ? success() : LogicalResult(findToolkit(settings, report));
  }

  LogicalResult printDeviceCode(ModuleOp module, const BackendSettings &settings, StringRef text,
                                llvm::raw_ostream &os) const override {
    auto report = [&](const llvm::Twine &problem) { module.emitError() << problem; };
    FailureOr<Toolkit> toolkit = findToolkit(settings, report);
    if (failed(toolkit))
      return failure();
    DeviceText kind = text == "ptx" ? DeviceText::ptx : DeviceText::sass;
    for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
      auto code = succeeded(checkKernels(kernels, chipOf(settings)))
                      ? stretto::codegen::printDeviceCode(kernels, chipOf(settings), *toolkit, kind)
                      : FailureOr<std::string>(failure());
      if (failed(code))
        return failure();
      os << *code;
    }
    return success();
  }

  LogicalResult printKernelCosts(ModuleOp module, const BackendSettings &settings,
                                 llvm::raw_ostream &os) const override {
    std::string why;
    FailureOr<Toolkit> toolkit = findToolkit(settings, [&](const llvm::Twine &text) { why = text.str(); });
    if (failed(toolkit)) {
      os << "\nregisters of the kernels are not known: " << why << "\n";
      return success();
    }
    for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
      auto costs = succeeded(checkKernels(kernels, chipOf(settings)))
                       ? measureKernels(kernels, chipOf(settings), *toolkit)
                       : FailureOr<SmallVector<KernelCost>>(failure());
      if (failed(costs))
        return failure();
      printKernelTable(*costs, chipOf(settings), os);
    }
    return success();
  }

  ArrayRef<BackendLibrary> libraries(const BackendSettings &settings) const override {
    static constexpr BackendLibrary emulated[] = {{"libstretto_emulator.so", true, ""}},
                                    device[] = {{"libstretto_cuda.so", false, "a LibTorch that has CUDA"}};
    return settings.emulate ? ArrayRef<BackendLibrary>(emulated) : device;
  }

  /// cuDNN is a library that loads its parts, one of which compiles kernels.
  ArrayRef<StringRef> librariesByName(const BackendSettings &settings) const override {
    static constexpr StringRef device[] = {"libcudnn_", "libnvrtc"};
    return settings.emulate ? ArrayRef<StringRef>() : device;
  }

private:
  /// `settings` are resolved.
  static Chip chipOf(const BackendSettings &settings) {
    return *Chip::resolve(settings.chip, [](const llvm::Twine &) {});
  }

  static int64_t sharedOfBlock(const BackendSettings &settings) {
    return Multiprocessor::of(chipOf(settings)).sharedOfBlock();
  }

  static FailureOr<Toolkit> findToolkit(const BackendSettings &settings, Report report) {
    return Toolkit::find(settings.cudaPath, chipOf(settings), report);
  }
};
} // namespace

const Backend &stretto::codegen::cudaBackend() {
  static const CudaBackend backend;
  return backend;
}
