//===- LowerKernelsPass.cpp - lowerKernels as a pass ---------------------------===//
#include "codegen/cpu/Passes.h"

namespace stretto {
#define GEN_PASS_DEF_LOWERKERNELS
#include "codegen/cpu/Passes.h.inc"
} // namespace stretto

using namespace mlir;
using namespace stretto;

namespace {
struct LowerKernelsPass : stretto::impl::LowerKernelsBase<LowerKernelsPass> {
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
