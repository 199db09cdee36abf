//===- ReportResources.cpp - what kernels take of the GPU, noted in the IR -----===//
#include "codegen/cuda/KernelFunction.h"
#include "codegen/cuda/binary/Binary.h"
#include "codegen/cuda/binary/Passes.h"
#include "ir/kern/Kernels.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_REPORTCUDARESOURCES
#include "codegen/cuda/binary/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
struct ReportResourcesPass : stretto::codegen::impl::ReportCudaResourcesBase<ReportResourcesPass> {
  using ReportCudaResourcesBase::ReportCudaResourcesBase;

  void runOnOperation() final {
    ModuleOp module = getOperation();
    auto wanted = Chip::resolve(chip, [&](const llvm::Twine &message) { emitError(module.getLoc()) << message; });
    if (failed(wanted))
      return signalPassFailure();
    std::string why;
    auto toolkit = Toolkit::find(cudaPath, *wanted, [&](const llvm::Twine &message) { why = message.str(); });
    if (failed(toolkit))
      emitWarning(UnknownLoc::get(&getContext())) << "registers of the kernels are not known: " << why;
    for (auto kernels : llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>())) {
      if (succeeded(toolkit) && failed(report(kernels, *wanted, *toolkit)))
        return signalPassFailure();
      kernels.erase();
    }
  }

private:
  LogicalResult report(gpu::GPUModuleOp kernels, const Chip &wanted, const Toolkit &toolkit) {
    if (failed(checkKernels(kernels, wanted)))
      return failure();
    auto costs = measureKernels(kernels, wanted, toolkit);
    if (failed(costs))
      return failure();
    llvm::StringMap<kern::ResourcesAttr> resources;
    for (const KernelCost &cost : *costs)
      resources[nameOf(cost.kernel)] =
          kern::ResourcesAttr::get(&getContext(), cost.registers, cost.spills, cost.allShared());
    getOperation().walk([&](Operation *op) {
      if (StringAttr name = isa<LLVM::LLVMFuncOp>(op) ? StringAttr() : kern::kernelNameOf(op))
        if (kern::ResourcesAttr taken = resources.lookup(name.getValue()))
          kern::setResources(op, taken);
    });
    return success();
  }
};
} // namespace
