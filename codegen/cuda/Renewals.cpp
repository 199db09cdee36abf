//===- Renewals.cpp - where a kernel computes addresses anew -------------------===//
#include "codegen/cuda/Renewals.h"

using namespace mlir;
using namespace stretto::codegen;

static constexpr int64_t usualSteps = 5;

static IntegerAttr stepOf(NVVM::ShflOp shuffle) { return shuffle->getAttrOfType<IntegerAttr>(renewalAttr); }

bool stretto::codegen::hasRenewals(LLVM::LLVMFuncOp kernel) {
  return kernel
      .walk([](NVVM::ShflOp shuffle) { return stepOf(shuffle) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

int64_t stretto::codegen::renewedStepsOf(LLVM::LLVMFuncOp kernel) {
  auto steps = kernel->getAttrOfType<IntegerAttr>(renewedStepsAttr);
  return steps ? steps.getInt() : usualSteps;
}

void stretto::codegen::setRenewedSteps(LLVM::LLVMFuncOp kernel, int64_t steps) {
  kernel->setAttr(renewedStepsAttr, IntegerAttr::get(IntegerType::get(kernel.getContext(), 64), steps));
}

void stretto::codegen::dropRenewals(LLVM::LLVMFuncOp kernel) {
  int64_t steps = renewedStepsOf(kernel);
  kernel.walk([&](NVVM::ShflOp shuffle) {
    IntegerAttr step = stepOf(shuffle);
    if (!step || (steps != 0 && step.getInt() % steps == 0))
      return;
    shuffle.replaceAllUsesWith(shuffle.getVal());
    shuffle.erase();
  });
}
