//===- MathExpansion.cpp - functions of math as arithmetic ---------------------===//
#include "codegen/cpu/MathExpansion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace stretto;

namespace {
/// a*b+c in two steps, for machines without the instruction: LLVM would call fma for each lane.
struct SplitFma : OpRewritePattern<math::FmaOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const final {
    Value product = arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};
} // namespace

void stretto::expandMath(ModuleOp module, const Target &target) {
  RewritePatternSet patterns(module.getContext());
  auto expanded = [](StringRef name) {
    return llvm::is_contained({math::ExpOp::getOperationName(), math::ExpM1Op::getOperationName(),
                               math::LogOp::getOperationName(), math::Log1pOp::getOperationName(),
                               math::Log2Op::getOperationName(), math::TanhOp::getOperationName(),
                               math::ErfOp::getOperationName(), math::SinOp::getOperationName(),
                               math::CosOp::getOperationName(), math::AtanOp::getOperationName()},
                              name);
  };
  populateMathPolynomialApproximationPatterns(patterns, expanded);
  if (!target.fusedMultiplyAdd)
    patterns.add<SplitFma>(module.getContext());
  GreedyRewriteConfig config;
  config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
  (void)applyPatternsGreedily(module, std::move(patterns), config);
}
