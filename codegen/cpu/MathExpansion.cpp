//===- MathExpansion.cpp - functions of math as arithmetic ---------------------===//
#include "codegen/cpu/MathExpansion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <limits>

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
/// exp(x) = 2^n e^r with n = round(x log2 e), |r| <= ln 2 / 2, and e^r = 1 + r + r^2 q(r), q of degree 4 (weighted
/// least squares towards the minimax fit; relative error 3e-9 in exact arithmetic). Relative error of the whole, in
/// single precision: 8e-8. Above 88.7228 infinity, below -86.6 (results under 2^-125) zero, NaN stays.
struct ExpandExp : OpRewritePattern<math::ExpOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const final {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type whole = b.getI32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      whole = VectorType::get(vector.getShape(), whole);
    auto constant = [&](Type of, Attribute value) -> Value {
      if (auto vector = dyn_cast<VectorType>(of))
        return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, value));
      return arith::ConstantOp::create(b, cast<TypedAttr>(value));
    };
    auto real = [&](double value) { return constant(type, b.getF32FloatAttr(static_cast<float>(value))); };
    auto integer = [&](int32_t value) { return constant(whole, b.getI32IntegerAttr(value)); };
    auto fma = [&](Value x, Value y, Value z) -> Value { return math::FmaOp::create(b, x, y, z); };
    Value x = op.getOperand();
    // Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits.
    Value shift = real(12582912.0);
    Value shifted = fma(x, real(1.4426950408889634), shift);
    Value n = arith::SubFOp::create(b, shifted, shift);
    Value r = fma(n, real(-0.693359375), x);
    r = fma(n, real(2.12194440e-4), r);
    Value p = real(0.0013814539415761828);
    for (double coefficient : {0.00836874544620514, 0.04166838899254799, 0.1666652113199234, 0.4999999403953552, 1.0, 1.0})
      p = fma(p, r, real(coefficient));
    // 2^(n-1), doubled at the end: n may be 128, whose power is not representable.
    constexpr int32_t shiftBits = 0x4B400000, bias = 127;
    Value bits = arith::BitcastOp::create(b, whole, shifted);
    Value exponent = arith::AddIOp::create(b, bits, integer(bias - 1 - shiftBits));
    Value power = arith::BitcastOp::create(b, type, arith::ShLIOp::create(b, exponent, integer(23)));
    Value half = arith::MulFOp::create(b, p, power);
    Value y = arith::AddFOp::create(b, half, half);
    auto where = [&](arith::CmpFPredicate predicate, double bound, double then) {
      Value condition = arith::CmpFOp::create(b, predicate, x, real(bound));
      y = arith::SelectOp::create(b, condition, real(then), y);
    };
    where(arith::CmpFPredicate::OGT, 88.72283, std::numeric_limits<double>::infinity());
    where(arith::CmpFPredicate::OLT, -86.6, 0);
    rewriter.replaceOp(op, y);
    return success();
  }
};
} // namespace

void stretto::expandMath(ModuleOp module, const Target &target) {
  RewritePatternSet patterns(module.getContext());
  auto expanded = [](StringRef name) {
    return llvm::is_contained({math::ExpM1Op::getOperationName(),
                               math::LogOp::getOperationName(), math::Log1pOp::getOperationName(),
                               math::Log2Op::getOperationName(), math::TanhOp::getOperationName(),
                               math::ErfOp::getOperationName(), math::SinOp::getOperationName(),
                               math::CosOp::getOperationName(), math::AtanOp::getOperationName()},
                              name);
  };
  patterns.add<ExpandExp>(module.getContext());
  populateMathPolynomialApproximationPatterns(patterns, expanded);
  if (!target.fusedMultiplyAdd)
    patterns.add<SplitFma>(module.getContext());
  GreedyRewriteConfig config;
  config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
  (void)applyPatternsGreedily(module, std::move(patterns), config);
}
