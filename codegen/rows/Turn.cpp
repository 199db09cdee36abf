//===- Turn.cpp - sine and cosine -----------------------------------------------===//
#include "codegen/rows/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// Arithmetic on f32 numbers or vectors of one width, and on their bits.
class Turn {
public:
  Turn(VectorBuilder &b, Value x) : b(b), x(x) {}

  /// sin(x + quarters * pi / 2): with n the whole number next to x / (pi / 2) and r = x - n * pi / 2, it is sin(r) or
  /// cos(r), by whether n + quarters is even, and negative where it is 2 or 3 beyond a multiple of four.
  Value sine(int32_t quarters) {
    // Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits.
    Value rounder = real(12582912.0);
    Value shifted = b.mulAdd(x, real(2 / std::numbers::pi), rounder);
    Value n = arith::SubFOp::create(b, shifted, rounder);
    Value count = arith::AddIOp::create(b, bitsOf(shifted), bits(quarters));
    Value r = remainder(n);
    Value odd = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, maskedBy(count, 1), bits(0));
    Value size = arith::SelectOp::create(b, odd, cosine(r), sine(r));
    Value sign = arith::ShLIOp::create(b, maskedBy(count, 2), bits(30));
    return arith::BitcastOp::create(b, x.getType(), arith::XOrIOp::create(b, bitsOf(size), sign));
  }

private:
  Value real(double value) { return b.real(x.getType(), value); }
  Value bits(int32_t value) {
    Type word = b.getI32Type();
    if (auto vector = dyn_cast<VectorType>(x.getType()))
      return arith::ConstantOp::create(
          b, DenseElementsAttr::get(vector.clone(word), Attribute(b.getI32IntegerAttr(value))));
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }
  Value bitsOf(Value value) { return arith::BitcastOp::create(b, bits(0).getType(), value); }
  Value maskedBy(Value value, int32_t mask) { return arith::AndIOp::create(b, value, bits(mask)); }
  Value multiply(Value left, Value right) { return arith::MulFOp::create(b, left, right); }

  /// x - n * pi / 2, pi / 2 in three parts: the first two have at most 12 bits, so that their products with n are
  /// exact. Where n is not, for x is too large, some number between -0.95 and 0.95.
  Value remainder(Value n) {
    constexpr double most = 0.95;
    Value r = x;
    for (double part : {1.5703125, 4.837512969970703e-4, 7.549790126404332e-8})
      r = b.mulAdd(n, real(-part), r);
    r = where(arith::CmpFPredicate::OGT, r, most);
    return where(arith::CmpFPredicate::OLT, r, -most);
  }

  /// `bound` where `value predicate bound`, else `value`, also if it is NaN.
  Value where(arith::CmpFPredicate predicate, Value value, double bound) {
    Value condition = arith::CmpFOp::create(b, predicate, value, real(bound));
    return arith::SelectOp::create(b, condition, real(bound), value);
  }

  /// The polynomial of these coefficients, the last one's power the highest.
  Value polynomial(Value z, ArrayRef<double> coefficients) {
    Value sum = real(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = b.mulAdd(sum, z, real(coefficient));
    return sum;
  }

  /// sin(r) and cos(r) where |r| <= 0.9, by least squares weighted towards the minimax fit: 1.1e-8 and 1.2e-9 off in
  /// exact arithmetic.
  Value sine(Value r) {
    Value z = multiply(r, r);
    Value tail = polynomial(z, {-0.1666664034128189, 0.008331348188221455, -0.00019416898430790752});
    return b.mulAdd(multiply(r, z), tail, r);
  }
  Value cosine(Value r) {
    Value z = multiply(r, r);
    return polynomial(z, {1, -0.5, 0.04166662320494652, -0.0013886273372918367, 2.4325796402990818e-5});
  }

  VectorBuilder &b;
  Value x;
};
} // namespace

Value stretto::codegen::emitTurn(VectorBuilder &b, Operation *op, Value x) {
  if (!getElementTypeOrSelf(x.getType()).isF32())
    return emitElementwise(b, op, x);
  return Turn(b, x).sine(isa<math::CosOp>(op) ? 1 : 0);
}
