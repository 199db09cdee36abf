//===- Serialize.cpp - from kernels to PTX --------------------------------===//
#include "codegen/cuda/binary/Serialize.h"

#include "codegen/cuda/Renewals.h"
#include "codegen/cuda/binary/Kernels.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

void stretto::codegen::registerKernelTranslation(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

namespace {
/// MLIR's serialisation up to PTX. Unlike its subclass for `#nvvm.target` it takes libdevice from where it is told, not
/// from a folder that must look like the CUDA toolkit, and reports errors of LLVM's code generator as diagnostics.
class Serializer : public LLVM::ModuleToObject {
public:
  Serializer(gpu::GPUModuleOp module, const PtxTarget &target, StringRef ptxFeature)
      : ModuleToObject(*module, "nvptx64-nvidia-cuda", target.chip.name, ptxFeature, /*optLevel=*/3), target(target) {}

private:
  void handleModulePreLink(llvm::Module &module) override {
    module.getContext().setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo *info, void *self) { static_cast<Serializer *>(self)->report(*info); }, this);
  }

  void report(const llvm::DiagnosticInfo &info) {
    if (info.getSeverity() != llvm::DS_Error)
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    fail() << text;
  }

  InFlightDiagnostic fail() {
    hasFailed = true;
    return emitError(getOperation().getLoc()) << "LLVM cannot make PTX of the kernels: ";
  }

  std::optional<SmallVector<std::unique_ptr<llvm::Module>>> loadBitcodeFiles(llvm::Module &module) override {
    SmallVector<std::unique_ptr<llvm::Module>> files;
    auto isMissing = [](const llvm::Function &function) {
      return function.isDeclaration() && function.getName().starts_with("__nv_");
    };
    auto missing = llvm::find_if(module, isMissing);
    if (missing == module.end())
      return files;
    if (target.libdevice.empty()) {
      fail() << "they call '" << missing->getName() << "', but the file libdevice.10.bc was not found; name the folder "
             << "of the CUDA toolkit with --cuda-path";
      return std::nullopt;
    }
    files.push_back(loadBitcodeFile(module.getContext(), target.libdevice));
    return files.back() ? std::optional(std::move(files)) : std::nullopt;
  }

  void handleModulePostLink(llvm::Module &module) override {
    for (const llvm::Function &function : module) // __nvvm_reflect asks the optimizer for the architecture
      if (function.isDeclaration() && !function.isIntrinsic() && function.getName() != "__nvvm_reflect")
        fail() << "they call '" << function.getName() << "', which is neither theirs nor of libdevice";
  }

  FailureOr<SmallVector<char, 0>> moduleToObject(llvm::Module &module) override {
    if (hasFailed)
      return failure();
    auto machine = getOrCreateTargetMachine();
    if (failed(machine))
      return failure();
    auto ptx = translateModuleToISA(module, **machine, [&] { return fail(); });
    if (failed(ptx) || hasFailed)
      return failure();
    return SmallVector<char, 0>(ptx->begin(), ptx->end());
  }

  const PtxTarget &target;
  bool hasFailed = false;
};
} // namespace

/// Operations of NVVM for which LLVM has no intrinsic become the PTX that MLIR knows for them.
static LogicalResult expandToText(gpu::GPUModuleOp module) {
  PassManager passes(module.getContext(), gpu::GPUModuleOp::getOperationName());
  passes.addPass(createConvertNVVMToLLVMPass());
  return passes.run(module);
}

FailureOr<std::string> stretto::codegen::writePtx(gpu::GPUModuleOp module, const PtxTarget &target) {
  NVVM::SerializeGPUModuleBase::init();
  std::string feature = "+ptx" + std::to_string(target.ptx);
  OwningOpRef<gpu::GPUModuleOp> made = module.clone();
  llvm::for_each(kernelsOf(*made), dropRenewals);
  if (failed(expandToText(*made)))
    return failure();
  auto text = Serializer(*made, target, feature).run();
  if (!text)
    return failure();
  return std::string(text->data(), text->size());
}
