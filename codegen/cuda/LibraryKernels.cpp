//===- LibraryKernels.cpp - kernels for library operations -----------------------===//
#include "codegen/cuda/LibraryKernels.h"
#include "codegen/cuda/Passes.h"

#include "ir/seq/TensorShape.h"
#include "runtime/abi/experts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

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
  int64_t lanes = widestAccess / bytes;
  while (width % lanes != 0)
    lanes /= 2;
  return lanes;
}

namespace {
/// What an operation of experts multiplies by, or whose gradient it makes.
struct ExpertWeights {
  Value gates, weights;
  int64_t out() const { return rowsOf(weights) / columnsOf(gates); }
  int64_t in() const { return columnsOf(weights); }
};
} // namespace

static std::optional<ExpertWeights> expertWeightsOf(Operation *op) {
  using Found = std::optional<ExpertWeights>;
  return TypeSwitch<Operation *, Found>(op)
      .Case<seq::ExpertLinearOp, seq::ExpertLinearInputGradOp, seq::ExpertSumOp, seq::ExpertSumInputGradOp>(
          [](auto matmul) { return ExpertWeights{matmul.getGates(), matmul.getWeight()}; })
      .Case<seq::ExpertLinearWeightGradOp, seq::ExpertSumWeightGradOp>(
          [](auto gradient) { return ExpertWeights{gradient.getGates(), gradient.getResult()}; })
      .Default(Found());
}

/// Says what the library does with the rows of experts.
static void remarkExperts(Operation *op, const ExpertWeights &experts) {
  StringRef function = op->getParentOfType<func::FuncOp>().getName();
  auto options = remark::RemarkOpts::name("Experts").category("kernels").function(function);
  if (stretto_are_grouped_matmuls(getElementTypeOrSelf(op->getOperand(0)).isBF16(), experts.in(), experts.out(),
                                  columnsOf(experts.gates)))
    remark::passed(op->getLoc(), options)
        << "computed by the library: rows by the weights of their own experts, on a GPU of compute capability 9 or 10; "
           "on others by all";
  else
    remark::missed(op->getLoc(), options)
        << "computed by the library: all rows by the weights of all experts; by those of their own alone in bf16, with "
           "columns that are a multiple of 8 and fewer than 1024 experts";
}

namespace {
struct NameCudaKernelsPass : stretto::codegen::impl::NameCudaKernelsBase<NameCudaKernelsPass> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      llvm::StringMap<int64_t> numbers; // by family
      function.walk([&](Operation *op) {
        if (StringRef family = familyOf(op); !family.empty())
          kern::setKernelName(op, function.getName() + "." + family + Twine(numbers[family]++));
        else if (std::optional<ExpertWeights> experts = expertWeightsOf(op))
          remarkExperts(op, *experts);
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
