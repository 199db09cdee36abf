//===- LowerKernels.cpp - fused kernels become functions ------------------------===//
#include "codegen/cuda/LibraryKernels.h"
#include "codegen/cuda/Passes.h"
#include "codegen/cuda/matmul/MatmulKernel.h"
#include "codegen/cuda/walk/WalkKernel.h"
#include "ir/kern/Kernels.h"
#include "passes/support/Requirements.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_LOWERCUDAKERNELS
#include "codegen/cuda/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Compares all numbers that a loop carries with each other, thousands where a thread has many columns. What forEach
/// makes carries none twice.
static constexpr StringRef quadraticPattern = "(anonymous namespace)::RemoveDuplicateSuccessorInputUses";

namespace {
struct LowerCudaKernelsPass : stretto::codegen::impl::LowerCudaKernelsBase<LowerCudaKernelsPass> {
  using LowerCudaKernelsBase::LowerCudaKernelsBase;

  void runOnOperation() final {
    ModuleOp module = getOperation();
    if (failed(passes::requireFreeName(module, "kernels", getArgument())))
      return signalPassFailure();
    kern::dropResources(module);
    OpBuilder end = OpBuilder::atBlockEnd(module.getBody());
    auto kernels = gpu::GPUModuleOp::create(end, module.getLoc(), "kernels");
    if (failed(buildAll(kernels)) || failed(convertToNVVM(kernels)))
      signalPassFailure();
  }

private:
  LogicalResult buildAll(gpu::GPUModuleOp kernels) {
    llvm::StringMap<Operation *> named;
    auto result = getOperation().walk([&](Operation *op) {
      return failed(build(op, kernels, named)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult build(Operation *op, gpu::GPUModuleOp kernels, llvm::StringMap<Operation *> &named) {
    const LibraryKernel *library = libraryKernelOf(op);
    if (!library && !isa<kern::KernelOp>(op))
      return success();
    auto name = kern::kernelNameOf(op);
    if (!name)
      return op->emitOpError("needs a kernel name to become code");
    if (failed(passes::requireNewKernel(op, kernelSymbol(name), named)))
      return failure();
    CudaBuilder b(op->getLoc(), op->getContext());
    if (auto rowwise = dyn_cast<kern::RowwiseOp>(op))
      return buildRowwiseKernel(b, kernels, rowwise);
    if (auto matmul = dyn_cast<kern::MatmulOp>(op))
      return buildMatmulKernel(b, kernels, matmul);
    if (auto sum = dyn_cast<kern::SumPartialsOp>(op))
      return buildSumPartialsKernel(b, kernels, sum);
    if (auto walk = dyn_cast<kern::WalkOp>(op))
      return buildWalkKernel(b, kernels, walk, sharedOfBlock);
    if (!library)
      return op->emitOpError("is a kernel that this target has no code for");
    return library->build(b, kernels, op);
  }

  /// What of math has an instruction or a function of libdevice goes there before the rest becomes LLVM's intrinsics.
  LogicalResult convertToNVVM(gpu::GPUModuleOp kernels) {
    OpPassManager passes(gpu::GPUModuleOp::getOperationName());
    passes.addPass(createCanonicalizerPass(GreedyRewriteConfig().setUseTopDownTraversal(), {quadraticPattern.str()}));
    passes.addPass(createCSEPass());
    passes.addPass(createSCFToControlFlowPass());
    ConvertGpuOpsToNVVMOpsOptions options;
    options.indexBitwidth = 64;
    passes.addPass(createConvertGpuOpsToNVVMOps(options));
    passes.addPass(createConvertVectorToLLVMPass());
    passes.addPass(createConvertMathToLLVMPass());
    passes.addPass(createArithToLLVMConversionPass());
    OpPassManager cleanup(gpu::GPUModuleOp::getOperationName());
    cleanup.addPass(createReconcileUnrealizedCastsPass());
    cleanup.addPass(createCanonicalizerPass());
    cleanup.addPass(createCSEPass());
    return failure(failed(runPipeline(passes, kernels)) || failed(convertBranches(kernels)) ||
                   failed(runPipeline(cleanup, kernels)));
  }

  /// MLIR's own pass for it runs on builtin modules alone.
  LogicalResult convertBranches(gpu::GPUModuleOp kernels) {
    LLVMTypeConverter types(&getContext());
    RewritePatternSet patterns(&getContext());
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    LLVMConversionTarget target(getContext());
    return applyPartialConversion(kernels, target, std::move(patterns));
  }
};
} // namespace
