//===- Decompose.cpp - layers as row operations -------------------------------===//
#include "passes/layers/Passes.h"
#include "passes/support/RowBuilder.h"

#include "ir/seq/LossTerms.h"
#include "ir/seq/Marks.h"
#include "ir/seq/Purpose.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#include <limits>

namespace stretto::passes {
#define GEN_PASS_DEF_DECOMPOSE
#include "passes/layers/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
using seq::ReduceKind;

/// [.., heads * head_dim] as [.., heads, head_dim]; unchanged for one head.
Value splitHeads(RowBuilder &b, Value x, int64_t heads) {
  if (heads == 1)
    return x;
  SmallVector<int64_t> shape(typeOf(x).getShape());
  shape.back() /= heads;
  shape.insert(shape.end() - 1, heads);
  return b.reshape(x, shape);
}

/// rsqrt(mean(x^2) + eps) over the last dimension, repeated along it.
Value inverseRms(RowBuilder &b, Value x, double eps) {
  Value mean = b.scale(b.reduce(ReduceKind::add, b.mul(x, x)), 1.0 / columnsOf(x));
  Value inverse = math::RsqrtOp::create(b, b.add(mean, b.splat(mean.getType(), eps)));
  return b.alongColumns(inverse, columnsOf(x));
}

struct RmsNorm : OpRewritePattern<seq::RmsNormOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::RmsNormOp op, PatternRewriter &rewriter) const final {
    RowBuilder b(op.getLoc(), rewriter);
    Value x = splitHeads(b, op.getOperand(), op.getHeads());
    auto shape = typeOf(x).getShape();
    Value normed = b.mul(x, inverseRms(b, x, op.getEps().convertToDouble()));
    Value y = b.mul(normed, b.alongRows(op.getGain(), shape));
    rewriter.replaceOp(op, b.reshape(y, typeOf(op.getResult()).getShape()));
    return success();
  }
};

struct LayerNorm : OpRewritePattern<seq::LayerNormOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::LayerNormOp op, PatternRewriter &rewriter) const final {
    RowBuilder b(op.getLoc(), rewriter);
    Value x = splitHeads(b, op.getOperand(), op.getHeads());
    auto shape = typeOf(x).getShape();
    Value mean = b.scale(b.reduce(ReduceKind::add, x), 1.0 / columnsOf(x));
    Value centred = b.sub(x, b.alongColumns(mean, columnsOf(x)));
    Value y = b.mul(centred, inverseRms(b, centred, op.getEps().convertToDouble()));
    y = b.mul(y, b.alongRows(op.getGain(), shape));
    y = b.add(y, b.alongRows(op.getBias(), shape));
    rewriter.replaceOp(op, b.reshape(y, typeOf(op.getResult()).getShape()));
    return success();
  }
};

struct L2Norm : OpRewritePattern<seq::L2NormOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::L2NormOp op, PatternRewriter &rewriter) const final {
    RowBuilder b(op.getLoc(), rewriter);
    Value x = splitHeads(b, op.getOperand(), op.getHeads());
    Value sum = b.reduce(ReduceKind::add, b.mul(x, x));
    Value inverse = math::RsqrtOp::create(b, b.add(sum, b.splat(sum.getType(), op.getEps().convertToDouble())));
    Value y = b.mul(x, b.alongColumns(inverse, columnsOf(x)));
    rewriter.replaceOp(op, b.reshape(y, typeOf(op.getResult()).getShape()));
    return success();
  }
};

/// The largest of each head is a factor of both sides of the quotient: it has no gradient.
struct Softmax : OpRewritePattern<seq::SoftmaxOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::SoftmaxOp op, PatternRewriter &rewriter) const final {
    RowBuilder b(op.getLoc(), rewriter);
    Value x = splitHeads(b, op.getOperand(), op.getHeads()), largest = b.reduce(ReduceKind::max, x);
    largest.getDefiningOp()->setAttr(kHeldConstantAttr, b.getUnitAttr());
    Value exponentials = math::ExpOp::create(b, b.sub(x, b.alongColumns(largest, columnsOf(x))));
    Value sum = b.reduce(ReduceKind::add, exponentials), inverse = b.div(b.splat(sum.getType(), 1.0), sum);
    Value y = b.mul(exponentials, b.alongColumns(inverse, columnsOf(x)));
    rewriter.replaceOp(op, b.reshape(y, typeOf(op.getResult()).getShape()));
    return success();
  }
};

/// Chooses one column after the other, each out of those that are left. Of a head that is not a number none is chosen:
/// as its columns are factors, they stay no numbers.
struct KeepTop : OpRewritePattern<seq::KeepTopOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::KeepTopOp op, PatternRewriter &rewriter) const final {
    RowBuilder b(op.getLoc(), rewriter);
    Value x = splitHeads(b, op.getOperand(), op.getHeads()), index = seq::ColumnIndexOp::create(b, x.getType());
    auto splat = [&](double number) { return b.splat(x.getType(), number); };
    Value left = x, kept = splat(0), chosen;
    for (uint64_t i = 0; i < op.getCount(); ++i) {
      if (chosen)
        left = b.select(chosen, splat(-std::numeric_limits<double>::infinity()), left);
      Value largest = b.alongColumns(b.reduce(ReduceKind::max, left), columnsOf(x));
      Value candidates = b.select(b.equal(left, largest), index, splat(columnsOf(x)));
      Value first = b.reduce(ReduceKind::min, candidates);
      first.getDefiningOp()->setAttr(kChoiceAttr, b.getUnitAttr());
      chosen = b.equal(index, b.alongColumns(first, columnsOf(x)));
      kept = b.select(chosen, splat(1), kept);
    }
    rewriter.replaceOp(op, b.reshape(b.mul(x, kept), typeOf(op.getResult()).getShape()));
    return success();
  }
};

/// A constant that is a row: of its columns, which are numbered.
struct Full : OpRewritePattern<seq::FullOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::FullOp op, PatternRewriter &rewriter) const final {
    RowBuilder b(op.getLoc(), rewriter);
    Type type = op.getResult().getType();
    Value zero = b.scale(seq::ColumnIndexOp::create(b, type), 0.0);
    rewriter.replaceOp(op, b.add(zero, b.splat(type, op.getValue().convertToDouble())));
    return success();
  }
};

struct Heaviside : OpRewritePattern<seq::HeavisideOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::HeavisideOp op, PatternRewriter &rewriter) const final {
    RowBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand(), zero = b.splat(x.getType(), 0.0);
    rewriter.replaceOp(op, b.select(b.greater(x, zero), b.splat(x.getType(), 1.0), zero));
    return success();
  }
};

struct BatchMean : OpRewritePattern<seq::BatchMeanOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::BatchMeanOp op, PatternRewriter &rewriter) const final {
    RowBuilder b(op.getLoc(), rewriter);
    int64_t positions = rowsOf(op.getOperand());
    rewriter.replaceOp(op, b.scale(b.columnSum(op.getOperand(), 1), 1.0 / positions));
    return success();
  }
};

struct Sum : OpRewritePattern<seq::SumOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::SumOp op, PatternRewriter &rewriter) const final {
    RowBuilder b(op.getLoc(), rewriter);
    auto shape = typeOf(op.getResult()).getShape();
    Value sum = b.reduce(ReduceKind::add, splitHeads(b, op.getOperand(), shape.back()));
    rewriter.replaceOp(op, b.reshape(sum, shape));
    return success();
  }
};

struct Spread : OpRewritePattern<seq::SpreadOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::SpreadOp op, PatternRewriter &rewriter) const final {
    RowBuilder b(op.getLoc(), rewriter);
    int64_t times = columnsOf(op.getResult()) / columnsOf(op.getOperand());
    rewriter.replaceOp(op, b.reshape(b.alongColumns(op.getOperand(), times), typeOf(op.getResult()).getShape()));
    return success();
  }
};

struct Canon : OpRewritePattern<seq::CanonOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::CanonOp op, PatternRewriter &rewriter) const final {
    RowBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand();
    auto shape = typeOf(x).getShape();
    int64_t kernel = typeOf(op.getWeight()).getDimSize(0), width = columnsOf(x);
    Value taps = b.reshape(op.getWeight(), {kernel * width});
    bool isActivated = op.getActivation() == seq::Activation::silu;
    Value y = op.getResidual() && !isActivated ? x : Value();
    for (int64_t k = 0; k < kernel; ++k) {
      Value tapped = b.tap(x, -k);
      Value term = b.mul(tapped, b.alongRows(b.slice(taps, k * width, width), shape));
      y = y ? b.add(y, term) : term;
    }
    if (op.getBias())
      y = b.add(y, b.alongRows(op.getBias(), shape));
    if (isActivated) {
      y = b.mul(y, seq::SigmoidOp::create(b, y));
      y = op.getResidual() ? b.add(x, y) : y;
    }
    rewriter.replaceOp(op, y);
    return success();
  }
};

struct Rotary : OpRewritePattern<seq::RotaryOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::RotaryOp op, PatternRewriter &rewriter) const final {
    RowBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand();
    int64_t width = columnsOf(x), head = width / op.getHeads(), turned = op.getRotatedHeads() * head;
    if (turned == 0 || op.getRotated() == 0) {
      rewriter.replaceOp(op, x);
      return success();
    }
    SmallVector<int64_t> shape(typeOf(x).getShape());
    shape.back() = turned;
    SmallVector<Value> pieces{b.reshape(rotate(b, op, b.slice(x, 0, turned), head), shape)};
    if (turned < width)
      pieces.push_back(b.slice(x, turned, width - turned));
    rewriter.replaceOp(op, b.concat(pieces));
    return success();
  }

  /// x * cos + permute(x) * sin, on [batch, time, heads, head_dim].
  static Value rotate(RowBuilder &b, seq::RotaryOp op, Value x, int64_t head) {
    SmallVector<int64_t> shape(typeOf(x).getShape());
    shape.back() /= head;
    shape.push_back(head);
    x = b.reshape(x, shape);
    auto type = RankedTensorType::get({shape[1], head}, typeOf(x).getElementType());
    auto table = [&](seq::TableKind kind) {
      Value entries = seq::TableOp::create(b, type, kind, op.getStyle(), op.getRotated(), op.getTheta());
      return b.broadcast(entries, {1, static_cast<int64_t>(shape.size()) - 1}, shape);
    };
    Value straight = b.mul(x, table(seq::TableKind::rotary_cos));
    Value partner = seq::PermuteOp::create(b, op.getStyle(), x, op.getRotated());
    return b.add(straight, b.mul(partner, table(seq::TableKind::rotary_sin)));
  }
};

/// What loss and prediction share: the log-likelihood of the targets.
struct Likelihood {
  Value largest, exponentials, inverseSum, logSumExp, isTarget, nll;

  Likelihood(RowBuilder &b, Value logits, Value targets) {
    int64_t vocabulary = columnsOf(logits);
    Type real = typeOf(logits).getElementType();
    largest = b.reduce(ReduceKind::max, logits);
    exponentials = math::ExpOp::create(b, b.sub(logits, b.alongColumns(largest, vocabulary)));
    Value sum = b.reduce(ReduceKind::add, exponentials);
    inverseSum = b.div(b.splat(sum.getType(), 1.0), sum);
    Value numbers = arith::SIToFPOp::create(b, RankedTensorType::get(typeOf(targets).getShape(), real), targets);
    isTarget = b.equal(seq::ColumnIndexOp::create(b, logits.getType()), b.alongColumns(numbers, vocabulary));
    markLoss(isTarget.getDefiningOp());
    Value chosen = b.reduce(ReduceKind::add, b.select(isTarget, logits, b.splat(logits.getType(), 0.0)));
    logSumExp = b.add(math::LogOp::create(b, sum), largest);
    nll = b.sub(logSumExp, chosen);
  }
};

/// A term `coefficient * x^2` of the loss, where x is a number of each row, and its derivative by x.
struct SquareTerm {
  Value value, slope;

  SquareTerm(RowBuilder &b, Value x, const APFloat &coefficient)
      : value(b.scale(b.mul(x, x), coefficient.convertToDouble())),
        slope(b.scale(x, 2 * coefficient.convertToDouble())) {}
};

struct CrossEntropy : OpRewritePattern<seq::CrossEntropyOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::CrossEntropyOp op, PatternRewriter &rewriter) const final {
    RowBuilder b(op.getLoc(), rewriter);
    Value logits = op.getLogits();
    Type type = logits.getType();
    int64_t vocabulary = columnsOf(logits);
    Likelihood likelihood(b, logits, op.getTargets());
    auto coefficient = [](const std::optional<APFloat> &term) { return term ? term->convertToDouble() : 0; };
    setLossTerms(likelihood.isTarget.getDefiningOp(), {coefficient(op.getNllSquare()), coefficient(op.getZLoss())});
    Value probability = b.mul(likelihood.exponentials, b.alongColumns(likelihood.inverseSum, vocabulary));
    Value indicator = b.select(likelihood.isTarget, b.splat(type, 1.0), b.splat(type, 0.0));
    Value weights = op.getWeights(), loss = likelihood.nll, slope = weights;
    if (std::optional<APFloat> coefficient = op.getNllSquare()) {
      SquareTerm term(b, likelihood.nll, *coefficient);
      loss = b.add(loss, term.value);
      slope = b.add(slope, b.mul(weights, term.slope));
    }
    Value gradient = b.mul(b.sub(probability, indicator), b.alongColumns(slope, vocabulary));
    if (std::optional<APFloat> coefficient = op.getZLoss()) {
      SquareTerm term(b, likelihood.logSumExp, *coefficient);
      loss = b.add(loss, term.value);
      gradient = b.add(gradient, b.mul(probability, b.alongColumns(b.mul(weights, term.slope), vocabulary)));
    }
    rewriter.replaceOp(op, {b.mul(loss, weights), gradient});
    return success();
  }
};

/// The largest logit is added to what it is a factor of: it has no gradient.
struct TokenLoss : OpRewritePattern<seq::TokenLossOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::TokenLossOp op, PatternRewriter &rewriter) const final {
    if (!op.getTargets())
      return failure();
    RowBuilder b(op.getLoc(), rewriter);
    Likelihood likelihood(b, op.getLogits(), op.getTargets());
    likelihood.largest.getDefiningOp()->setAttr(kHeldConstantAttr, b.getUnitAttr());
    rewriter.replaceOp(op, b.reshape(likelihood.nll, typeOf(op.getNll()).getShape()));
    return success();
  }
};

struct Predict : OpRewritePattern<seq::PredictOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(seq::PredictOp op, PatternRewriter &rewriter) const final {
    RowBuilder b(op.getLoc(), rewriter);
    Value logits = op.getLogits();
    int64_t vocabulary = columnsOf(logits);
    Likelihood likelihood(b, logits, op.getTargets());
    Value largest = b.alongColumns(b.reduce(ReduceKind::max, logits), vocabulary);
    Value index = seq::ColumnIndexOp::create(b, logits.getType());
    Value candidate = b.select(b.equal(logits, largest), index, b.splat(logits.getType(), vocabulary - 1));
    markLoss(candidate.getDefiningOp());
    Value first = b.reduce(ReduceKind::min, candidate);
    Value token = arith::FPToSIOp::create(b, op.getPredicted().getType(), first);
    rewriter.replaceOp(op, {likelihood.nll, token});
    return success();
  }
};

/// Gives the pieces of a layer what the source marks it with.
class KeepMarks : public RewriterBase::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) final { pieces.push_back(op); }
  void notifyOperationReplaced(Operation *layer, ValueRange) final {
    OpBuilder b(layer);
    for (Operation *piece : pieces) {
      if (layer->hasAttr(kRecomputeAttr))
        piece->setAttr(kRecomputeAttr, b.getUnitAttr());
      if (isMarkedNoFuse(layer))
        piece->setAttr(kNoFuseAttr, b.getI64IntegerAttr(layers));
    }
    ++layers;
    pieces.clear();
  }

  SmallVector<Operation *> pieces;
  int64_t layers = 0; // so far
};

struct DecomposePass : stretto::passes::impl::DecomposeBase<DecomposePass> {
  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    patterns.add<RmsNorm, LayerNorm, L2Norm, Softmax, KeepTop, Full, Heaviside, BatchMean, Sum, Spread, Canon, Rotary,
                 CrossEntropy, TokenLoss, Predict>(&getContext());
    KeepMarks marks;
    walkAndApplyPatterns(getOperation(), std::move(patterns), &marks);
  }
};
} // namespace
