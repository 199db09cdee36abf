//===- Register.cpp - passes and dialects by name -----------------------------===//
#include "codegen/pipelines/Passes.h"
#include "codegen/pipelines/Pipelines.h"

#include "codegen/cpu/Passes.h"
#include "codegen/cuda/Passes.h"
#include "codegen/cuda/binary/Passes.h"
#include "codegen/cuda/binary/Serialize.h"
#include "codegen/emulator/Passes.h"
#include "codegen/host/Passes.h"
#include "codegen/memory/Passes.h"
#include "codegen/rows/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

void stretto::codegen::registerCodegenDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::LLVM::LLVMDialect, mlir::scf::SCFDialect, mlir::vector::VectorDialect,
                  mlir::cf::ControlFlowDialect, mlir::gpu::GPUDialect, mlir::NVVM::NVVMDialect>();
  registerKernelTranslation(registry);
}

void stretto::codegen::registerCodegenPasses() {
  registerPipelinesPasses();
  registerCpuKernelPasses();
  registerCudaKernelPasses();
  registerCudaBinaryPasses();
  registerEmulatorPasses();
  registerMemoryPasses();
  registerHostPasses();
  registerRowKernelPasses();
}
