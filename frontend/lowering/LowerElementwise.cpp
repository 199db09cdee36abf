// Lowers elementwise operations.
#include "frontend/lowering/Lowering.h"

#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace stretto;
using namespace stretto::frontend;

namespace {

template <typename OpTy>
Lowered unary(const OpToLower &at) {
  return {at.make<OpTy>(at.operand(0))};
}

template <typename OpTy>
Lowered binary(const OpToLower &at) {
  return {at.make<OpTy>(at.operand(0), at.operand(1))};
}

/// A unary operation of our own, whose type is given.
template <typename OpTy>
Lowered unaryOfSeq(const OpToLower &at) {
  return {at.make<OpTy>(at.type(), at.operand(0))};
}

Lowered constant(const OpToLower &at) { return {at.splat(at.op.real("value"), at.type())}; }

Lowered silu(const OpToLower &at) {
  Value x = at.operand(0);
  return {at.make<arith::MulFOp>(x, at.make<seq::SigmoidOp>(at.type(), x))};
}

Lowered square(const OpToLower &at) { return {at.make<arith::MulFOp>(at.operand(0), at.operand(0))}; }

Lowered relu(const OpToLower &at) { return {at.make<arith::MaximumFOp>(at.operand(0), at.splat(0, at.type()))}; }

/// x/2 * (1 + erf(x / sqrt 2))
Lowered gelu(const OpToLower &at) {
  Value x = at.operand(0);
  Value scaled = at.make<arith::MulFOp>(x, at.splat(std::sqrt(0.5), at.type()));
  Value erf = at.make<math::ErfOp>(scaled);
  Value sum = at.make<arith::AddFOp>(erf, at.splat(1, at.type()));
  Value half = at.make<arith::MulFOp>(x, at.splat(0.5, at.type()));
  return {at.make<arith::MulFOp>(half, sum)};
}

} // namespace

llvm::ArrayRef<Lowering> frontend::elementwiseLowerings() {
  static const Lowering table[] = {
      {"constant", constant},
      {"neg", unary<arith::NegFOp>},
      {"exp", unary<math::ExpOp>},
      {"log", unary<math::LogOp>},
      {"sqrt", unary<math::SqrtOp>},
      {"rsqrt", unary<math::RsqrtOp>},
      {"tanh", unary<math::TanhOp>},
      {"sin", unary<math::SinOp>},
      {"cos", unary<math::CosOp>},
      {"sigmoid", unaryOfSeq<seq::SigmoidOp>},
      {"silu", silu},
      {"gelu", gelu},
      {"relu", relu},
      {"square", square},
      {"heaviside", unaryOfSeq<seq::HeavisideOp>},
      {"softplus", unaryOfSeq<seq::SoftplusOp>},
      {"add", binary<arith::AddFOp>},
      {"sub", binary<arith::SubFOp>},
      {"mul", binary<arith::MulFOp>},
      {"div", binary<arith::DivFOp>},
      {"min", binary<arith::MinimumFOp>},
      {"max", binary<arith::MaximumFOp>},
  };
  return table;
}
