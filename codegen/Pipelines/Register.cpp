//===- Register.cpp - passes and pipelines by name ----------------------------===//
#include "codegen/Pipelines/Pipelines.h"

#include "codegen/cpu/Passes.h"
#include "codegen/host/Passes.h"
#include "codegen/memory/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

void stretto::registerCodegenDialects(mlir::DialectRegistry &registry) { registry.insert<mlir::LLVM::LLVMDialect>(); }

void stretto::registerCodegenPasses() {
  stretto::registerCpuKernelPasses();
  stretto::registerMemoryPasses();
  stretto::registerHostPasses();
}
