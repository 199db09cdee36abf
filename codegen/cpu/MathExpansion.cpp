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
using namespace stretto::codegen;

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
/// Vector or scalar arithmetic of one type, f32 or a vector of it.
class Arithmetic {
public:
  Arithmetic(Location loc, OpBuilder &builder, Type type) : b(loc, builder), type(type), whole(b.getI32Type()) {
    if (auto vector = dyn_cast<VectorType>(type))
      whole = VectorType::get(vector.getShape(), whole);
  }

  Value real(double value) { return constant(type, b.getF32FloatAttr(static_cast<float>(value))); }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, x, y, z); }
  /// `then` where `x predicate bound`, else `y`; NaN keeps y.
  Value where(arith::CmpFPredicate predicate, Value x, double bound, double then, Value y) {
    Value condition = arith::CmpFOp::create(b, predicate, x, real(bound));
    return arith::SelectOp::create(b, condition, real(then), y);
  }

  /// e^(sign * x) = p * 2^n, n = round(sign * x log2 e); returns p and 2^(n + shift).
  std::pair<Value, Value> splitExp(Value x, int sign, int32_t shift);

  ImplicitLocOpBuilder b;

private:
  Value constant(Type of, Attribute value) {
    if (auto vector = dyn_cast<VectorType>(of))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, value));
    return arith::ConstantOp::create(b, cast<TypedAttr>(value));
  }
  Type type, whole;
};

/// With |r| <= ln 2 / 2: p = e^r = 1 + r + r^2 q(r), q of degree 4 (weighted least squares towards the minimax fit;
/// relative error 3e-9 in exact arithmetic, 8e-8 in single precision).
std::pair<Value, Value> Arithmetic::splitExp(Value x, int sign, int32_t shift) {
  // Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits.
  Value rounder = real(12582912.0);
  Value shifted = fma(x, real(sign * 1.4426950408889634), rounder);
  Value n = arith::SubFOp::create(b, shifted, rounder);
  // sign * r, with ln 2 in two parts.
  Value r = fma(n, real(sign * -0.693359375), x);
  r = fma(n, real(sign * 2.12194440e-4), r);
  constexpr double coefficients[] = {
      1, 1, 0.4999999403953552, 0.1666652113199234, 0.04166838899254799, 0.00836874544620514, 0.0013814539415761828};
  auto coefficient = [&](int k) { return real(k % 2 ? sign * coefficients[k] : coefficients[k]); };
  Value p = coefficient(6);
  for (int k = 5; k >= 0; --k)
    p = fma(p, r, coefficient(k));
  constexpr int32_t rounderBits = 0x4B400000, bias = 127;
  Value bits = arith::BitcastOp::create(b, whole, shifted);
  Value exponent = arith::AddIOp::create(b, bits, constant(whole, b.getI32IntegerAttr(bias + shift - rounderBits)));
  Value high = arith::ShLIOp::create(b, exponent, constant(whole, b.getI32IntegerAttr(23)));
  return {p, arith::BitcastOp::create(b, type, high)};
}

/// Above 88.7228 infinity, below -86.6 (results under 2^-125) zero, NaN stays.
struct ExpandExp : OpRewritePattern<math::ExpOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const final {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    Value x = op.getOperand();
    Arithmetic a(op.getLoc(), rewriter, op.getType());
    // Half of it, doubled at the end: n may be 128, whose power is not representable.
    auto [p, power] = a.splitExp(x, 1, -1);
    Value half = arith::MulFOp::create(a.b, p, power);
    Value y = arith::AddFOp::create(a.b, half, half);
    y = a.where(arith::CmpFPredicate::OGT, x, 88.72283, std::numeric_limits<double>::infinity(), y);
    rewriter.replaceOp(op, a.where(arith::CmpFPredicate::OLT, x, -86.6, 0, y));
    return success();
  }
};
} // namespace

Value stretto::codegen::buildSigmoid(ImplicitLocOpBuilder &b, Value x) {
  if (!getElementTypeOrSelf(x.getType()).isF32()) {
    Value one = arith::ConstantOp::create(b, b.getOneAttr(x.getType()));
    Value e = math::ExpOp::create(b, arith::NegFOp::create(b, x));
    return arith::DivFOp::create(b, one, arith::AddFOp::create(b, one, e));
  }
  Arithmetic a(b.getLoc(), b, x.getType());
  x = a.where(arith::CmpFPredicate::OLT, x, -87, -87, x);
  x = a.where(arith::CmpFPredicate::OGT, x, 87, 87, x);
  auto [p, power] = a.splitExp(x, -1, 0);
  return arith::DivFOp::create(b, a.real(1), a.fma(p, power, a.real(1)));
}

void stretto::codegen::expandMath(ModuleOp module, const Target &target) {
  RewritePatternSet patterns(module.getContext());
  auto expanded = [](StringRef name) {
    return llvm::is_contained({math::ExpM1Op::getOperationName(), math::LogOp::getOperationName(),
                               math::Log1pOp::getOperationName(), math::Log2Op::getOperationName(),
                               math::TanhOp::getOperationName(), math::ErfOp::getOperationName()},
                              name);
  };
  patterns.add<ExpandExp>(module.getContext());
  populateMathPolynomialApproximationPatterns(patterns, expanded);
  if (!target.fusedMultiplyAdd)
    patterns.add<SplitFma>(module.getContext());
  SmallVector<Operation *> functions; // of mathematics
  module.walk([&](Operation *op) {
    if (isa<math::MathDialect>(op->getDialect()))
      functions.push_back(op);
  });
  GreedyRewriteConfig config;
  config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  (void)applyOpPatternsGreedily(functions, std::move(patterns), config);
}
