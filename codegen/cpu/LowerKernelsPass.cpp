//===- LowerKernelsPass.cpp - lowerKernels as a pass ---------------------------===//
#include "codegen/cpu/Passes.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_LOWERKERNELS
#include "codegen/cpu/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
struct LowerKernelsPass : stretto::codegen::impl::LowerKernelsBase<LowerKernelsPass> {
  using LowerKernelsBase::LowerKernelsBase;

  void runOnOperation() final {
    ModuleOp module = getOperation();
    auto target = Target::resolve(cpu, [&](const llvm::Twine &message) { module.emitError() << message; });
    llvm::SmallVector<KernelInfo> kernels;
    if (failed(target) || failed(lowerKernels(module, *target, kernels)))
      signalPassFailure();
  }
};
} // namespace
