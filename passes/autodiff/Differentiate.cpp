//===- Differentiate.cpp - the backward of a model ------------------------------===//
#include "passes/autodiff/Adjoints.h"
#include "passes/autodiff/Numbering.h"
#include "passes/autodiff/Passes.h"

namespace stretto::passes {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "passes/autodiff/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// The sweep within the function that holds forward and backward.
class MainAdjoints : public Adjoints {
public:
  using Adjoints::Adjoints;

protected:
  Value given(Value forward) override { return forward; }
};

struct DifferentiatePass : stretto::passes::impl::DifferentiateBase<DifferentiatePass> {
  void runOnOperation() final {
    SmallVector<seq::BackwardOp> starts;
    getOperation().walk([&](seq::BackwardOp op) { starts.push_back(op); });
    for (seq::BackwardOp start : starts)
      if (failed(differentiate(start)))
        return signalPassFailure();
    getOperation().walk([](seq::StopGradientOp op) {
      op.replaceAllUsesWith(op.getOperand());
      op.erase();
    });
  }

  LogicalResult differentiate(seq::BackwardOp start) {
    auto function = start->getParentOfType<func::FuncOp>();
    Block &block = function.getBody().front();
    Adjoints::prepare(function);
    numberOperations(function);
    SmallVector<seq::GetParameterOp> reads(function.getOps<seq::GetParameterOp>()); // of the forward
    MainAdjoints adjoints(start, OpBuilder(block.getTerminator()));
    adjoints.spreadActivity(block);
    for (auto [value, gradient] : llvm::zip_equal(start.getValues(), start.getGradients()))
      adjoints.add(value, gradient);
    if (failed(adjoints.propagate(block)))
      return failure();
    storeGradients(reads, adjoints);
    start.erase();
    return success();
  }

  void storeGradients(ArrayRef<seq::GetParameterOp> reads, Adjoints &adjoints) {
    llvm::MapVector<StringAttr, Value> sums;
    for (seq::GetParameterOp get : reads) {
      Value gradient = adjoints.isActive(get) ? adjoints.get(get) : Value();
      Value &sum = sums[get.getParameterAttr().getAttr()];
      if (gradient)
        sum = sum ? adjoints.b.add(sum, gradient) : gradient;
    }
    for (auto parameter : getOperation().getOps<seq::ParameterOp>()) {
      if (parameter.getFrozen())
        continue;
      adjoints.b.setLoc(parameter.getLoc());
      Value gradient = sums.lookup(parameter.getSymNameAttr());
      if (!gradient)
        gradient = adjoints.b.splat(parameter.getType(), 0.0);
      seq::GradientOp::create(adjoints.b, parameter.getSymName(), gradient);
    }
  }
};
} // namespace
