//===- LibraryKernels.cpp - kernels for library operations -----------------------===//
#include "codegen/cuda/LibraryKernels.h"
#include "codegen/cuda/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_NAMECUDAKERNELS
#include "codegen/cuda/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

const LibraryKernel *stretto::codegen::libraryKernelOf(Operation *op) {
  static const LibraryKernel *const all[] = {&embedKernel,       &embedGradKernel,      &writeCacheKernel,
                                             &readCacheKernel,   &lastRowKernel,        &attentionStepKernel,
                                             &narrowMixerKernel, &narrowMixerGradKernel};
  for (const LibraryKernel *kernel : all)
    if (kernel->operation == op->getName().getStringRef() && (!kernel->takes || kernel->takes(op)))
      return kernel;
  return nullptr;
}

int64_t stretto::codegen::rowLanes(int64_t width, int64_t bytes) {
  int64_t lanes = 16 / bytes;
  while (width % lanes != 0)
    lanes /= 2;
  return lanes;
}

namespace {
struct NameCudaKernelsPass : stretto::codegen::impl::NameCudaKernelsBase<NameCudaKernelsPass> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      llvm::StringMap<int64_t> numbers; // by family
      function.walk([&](Operation *op) {
        if (StringRef family = familyOf(op); !family.empty())
          kern::setKernelName(op, function.getName() + "." + family + Twine(numbers[family]++));
      });
    }
  }

private:
  /// What the kernel of an operation is called that has no name yet; empty: it is none of ours.
  static StringRef familyOf(Operation *op) {
    if (const LibraryKernel *kernel = libraryKernelOf(op))
      return kernel->family;
    return isa<kern::WalkOp>(op) && !kern::kernelNameOf(op) ? "walk" : "";
  }
};
} // namespace
