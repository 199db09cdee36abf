//===- SimplifyTaps.cpp - taps of the backward ----------------------------------===//
#include "passes/AutoDiff/Passes.h"
#include "passes/Support/RowBuilder.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace stretto {
#define GEN_PASS_DEF_SIMPLIFYTAPS
#include "passes/AutoDiff/Passes.h.inc"
} // namespace stretto

using namespace mlir;
using namespace stretto;

namespace {
/// A value that is the same for all rows: a broadcast that repeats along batch and time.
bool isSameForAllRows(Value value) {
  auto broadcast = value.getDefiningOp<seq::BroadcastOp>();
  return broadcast && (broadcast.getDims().empty() || broadcast.getDims().front() >= 2);
}

/// column_sum(dy * tap(z, -k)) -> column_sum(tap(dy, k) * z)
struct MoveTapToGradient : OpRewritePattern<seq::ColumnSumOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::ColumnSumOp op, PatternRewriter &rewriter) const final {
    auto product = op.getOperand().getDefiningOp<arith::MulFOp>();
    if (!product)
      return failure();
    for (auto [gradient, tapped] : {std::pair(product.getLhs(), product.getRhs()),
                                    std::pair(product.getRhs(), product.getLhs())}) {
      auto tap = tapped.getDefiningOp<seq::TapOp>();
      if (!tap || static_cast<int64_t>(tap.getOffset()) > 0)
        continue;
      RowBuilder b(op.getLoc(), rewriter);
      Value moved = b.mul(b.tap(gradient, -static_cast<int64_t>(tap.getOffset())), tap.getOperand());
      rewriter.modifyOpInPlace(op, [&] { op.getOperandMutable().assign(moved); });
      return success();
    }
    return failure();
  }
};

/// tap(v * c, k) -> tap(v, k) * c
struct SinkTap : OpRewritePattern<seq::TapOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::TapOp op, PatternRewriter &rewriter) const final {
    auto product = op.getOperand().getDefiningOp<arith::MulFOp>();
    if (!product || op->hasAttr(kIdAttr))
      return failure();
    Value value = product.getLhs(), factor = product.getRhs();
    if (!isSameForAllRows(factor))
      std::swap(value, factor);
    if (!isSameForAllRows(factor))
      return failure();
    RowBuilder b(op.getLoc(), rewriter);
    Value tapped = b.tap(value, op.getOffset());
    rewriter.replaceOp(op, b.mul(tapped, factor));
    return success();
  }
};

struct SimplifyTapsPass : stretto::impl::SimplifyTapsBase<SimplifyTapsPass> {
  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    patterns.add<MoveTapToGradient, SinkTap>(&getContext());
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
