//===- Assembled.cpp - the emulator's kernels as machine code of a GPU ----------------===//
#include "Assembled.h"

#include "codegen/cuda/binary/Passes.h"
#include "codegen/cuda/binary/Serialize.h"
#include "codegen/cuda/binary/Toolkit.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

bool stretto::test::hasAssembler() {
  auto ignore = [](const llvm::Twine &) {};
  return succeeded(codegen::Toolkit::find("", *codegen::Chip::resolve("sm_90a", ignore), ignore));
}

Assembled::Assembled(const std::string &text) {
  DialectRegistry registry;
  registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect, gpu::GPUDialect, kern::KernDialect>();
  codegen::registerKernelTranslation(registry);
  context = std::make_unique<MLIRContext>(registry);
  module = parseSourceString<ModuleOp>(text, context.get());
  PassManager passes(context.get());
  passes.addNestedPass<gpu::GPUModuleOp>(createConvertNVVMToLLVMPass());
  passes.addPass(codegen::createEmbedCudaBinaries());
  if (module && failed(passes.run(*module)))
    module = nullptr;
}

kern::DeviceKernelOp Assembled::kernel() {
  return module ? *module->getOps<kern::DeviceKernelOp>().begin() : kern::DeviceKernelOp();
}
