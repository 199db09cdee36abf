//===- SplitColumnSums.cpp - column sums become partial sums -------------------===//
#include "codegen/rows/Passes.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_SPLITCOLUMNSUMS
#include "codegen/rows/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static bool hasColumnSums(kern::RowKernel op) {
  return llvm::any_of(llvm::seq(op->getNumResults()), [&](unsigned i) { return op.isColumnSum(i); });
}

/// Gives the column sums of `op` one entry for each chunk and adds them up behind it.
static void split(kern::RowKernel op) {
  op.setPartialSums(true);
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    if (!op.isColumnSum(i))
      continue;
    auto whole = cast<RankedTensorType>(result.getType());
    SmallVector<int64_t> shape{op.getChunks()};
    llvm::append_range(shape, whole.getShape());
    result.setType(RankedTensorType::get(shape, whole.getElementType()));
    StringAttr name;
    if (StringAttr kernel = op.getKernelAttr())
      name = builder.getStringAttr(kernel.getValue() + ".sum" + llvm::Twine(i));
    auto sum = kern::SumPartialsOp::create(builder, op.getLoc(), TypeRange(whole), ValueRange(result), Value(), name,
                                           kern::ResourcesAttr());
    result.replaceAllUsesExcept(sum.getSums()[0], sum);
  }
}

namespace {
struct SplitColumnSumsPass : stretto::codegen::impl::SplitColumnSumsBase<SplitColumnSumsPass> {
  using SplitColumnSumsBase::SplitColumnSumsBase;

  void runOnOperation() final {
    auto result = getOperation()->walk([](kern::RowKernel op) {
      if (op.getPartialSums() || !hasColumnSums(op))
        return WalkResult::advance();
      if (!op.getSchedule()) {
        op.emitOpError("needs a schedule before its column sums are split");
        return WalkResult::interrupt();
      }
      split(op);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
