//===- SimplifyTaps.cpp - taps of the backward ----------------------------------===//
#include "passes/autodiff/Passes.h"
#include "passes/support/RowBuilder.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace stretto::passes {
#define GEN_PASS_DEF_SIMPLIFYTAPS
#include "passes/autodiff/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// A value that is the same for all rows: a broadcast that repeats along batch and time.
bool isSameForAllRows(Value value) {
  auto broadcast = value.getDefiningOp<seq::BroadcastOp>();
  return broadcast && (broadcast.getDims().empty() || broadcast.getDims().front() >= 2);
}

bool isZero(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  return splat && isa<FloatType>(splat.getElementType()) && splat.getSplatValue<APFloat>().isPosZero();
}

/// A value where `condition` holds, which is the same for all columns of a row, and 0 elsewhere; as taps that end at a
/// document are. Null for anything else.
arith::SelectOp maskedRows(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto condition = select ? select.getCondition().getDefiningOp<seq::BroadcastOp>() : seq::BroadcastOp();
  bool isOfRow = condition && condition.getDims() == ArrayRef<int64_t>{0, 1};
  return isOfRow && isZero(select.getFalseValue()) ? select : arith::SelectOp();
}

Value mask(RowBuilder &b, arith::SelectOp like, Value value) {
  return b.select(like.getCondition(), value, like.getFalseValue());
}

/// column_sum(dy * tap(z, -k)) -> column_sum(tap(dy, k) * z), and the same with masked rows:
/// column_sum(dy * select(c, tap(z, -k), 0)) -> column_sum(tap(select(c, dy, 0), k) * z)
struct MoveTapToGradient : OpRewritePattern<seq::ColumnSumOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::ColumnSumOp op, PatternRewriter &rewriter) const final {
    auto product = op.getOperand().getDefiningOp<arith::MulFOp>();
    if (!product)
      return failure();
    for (auto [gradient, tapped] :
         {std::pair(product.getLhs(), product.getRhs()), std::pair(product.getRhs(), product.getLhs())}) {
      arith::SelectOp masked = maskedRows(tapped);
      auto tap = (masked ? masked.getTrueValue() : tapped).getDefiningOp<seq::TapOp>();
      if (!tap || static_cast<int64_t>(tap.getOffset()) > 0)
        continue;
      RowBuilder b(op.getLoc(), rewriter);
      Value read = masked ? mask(b, masked, gradient) : gradient;
      Value moved = b.mul(b.tap(read, -static_cast<int64_t>(tap.getOffset())), tap.getOperand());
      rewriter.modifyOpInPlace(op, [&] { op.getOperandMutable().assign(moved); });
      return success();
    }
    return failure();
  }
};

/// A product with a factor that is the same for all rows.
struct Scaled {
  Value value, factor;
};

std::optional<Scaled> splitScaled(Value product) {
  auto op = product.getDefiningOp<arith::MulFOp>();
  if (op && isSameForAllRows(op.getRhs()))
    return Scaled{op.getLhs(), op.getRhs()};
  if (op && isSameForAllRows(op.getLhs()))
    return Scaled{op.getRhs(), op.getLhs()};
  return std::nullopt;
}

/// select(r, v * c, 0) -> select(r, v, 0) * c, before a tap
struct SinkMask : OpRewritePattern<seq::TapOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::TapOp op, PatternRewriter &rewriter) const final {
    arith::SelectOp masked = maskedRows(op.getOperand());
    std::optional<Scaled> product = masked ? splitScaled(masked.getTrueValue()) : std::nullopt;
    if (!product || op->hasAttr(kIdAttr) || masked->hasAttr(kIdAttr))
      return failure();
    RowBuilder b(op.getLoc(), rewriter);
    Value kept = mask(b, masked, product->value);
    rewriter.modifyOpInPlace(op, [&] { op.getOperandMutable().assign(b.mul(kept, product->factor)); });
    return success();
  }
};

/// tap(v * c, k) -> tap(v, k) * c
struct SinkTap : OpRewritePattern<seq::TapOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::TapOp op, PatternRewriter &rewriter) const final {
    std::optional<Scaled> product = splitScaled(op.getOperand());
    if (!product || op->hasAttr(kIdAttr))
      return failure();
    RowBuilder b(op.getLoc(), rewriter);
    Value tapped = b.tap(product->value, op.getOffset());
    rewriter.replaceOp(op, b.mul(tapped, product->factor));
    return success();
  }
};

struct SimplifyTapsPass : stretto::passes::impl::SimplifyTapsBase<SimplifyTapsPass> {
  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    patterns.add<MoveTapToGradient, SinkMask, SinkTap>(&getContext());
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
