//===- CheckAsyncProxies.cpp - waits and fences that asynchronous operations need, before kernels run -----===//
#include "codegen/cuda/Passes.h"
#include "codegen/cuda/async/AsyncChecks.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_CHECKASYNCPROXIES
#include "codegen/cuda/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
struct CheckAsyncProxiesPass : stretto::codegen::impl::CheckAsyncProxiesBase<CheckAsyncProxiesPass> {
  void runOnOperation() final {
    bool isWell = true;
    for (auto kernels : getOperation().getOps<gpu::GPUModuleOp>())
      for (auto function : kernels.getOps<LLVM::LLVMFuncOp>())
        if (!function.isExternal())
          for (auto check : {checkAccumulators, checkProxyFences})
            isWell &= succeeded(check(function));
    if (!isWell)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
