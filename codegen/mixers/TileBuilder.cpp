//===- TileBuilder.cpp - writing arithmetic on tiles briefly ----------------------===//
#include "codegen/mixers/TileBuilder.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

Value TileBuilder::convert(Value x, Type element) {
  auto from = typeOf(x), to = from.clone(element);
  if (from == to)
    return x;
  if (from.getElementType().isInteger())
    return arith::SIToFPOp::create(*this, to, x);
  Value &known = converted[{x, element}];
  if (known)
    return known;
  bool widens = from.getElementTypeBitWidth() < to.getElementTypeBitWidth();
  return known = widens ? arith::ExtFOp::create(*this, to, x).getResult()
                        : arith::TruncFOp::create(*this, to, x).getResult();
}

Value TileBuilder::matmul(Value a, Value b, bool transposeA, bool transposeB) {
  auto typeA = typeOf(a), typeB = typeOf(b);
  auto type = RankedTensorType::get({typeA.getDimSize(transposeA ? 1 : 0), typeB.getDimSize(transposeB ? 0 : 1)}, real);
  Value left = convert(a, stored), right = convert(b, stored);
  return kern::TileMatmulOp::create(*this, type, left, right, transposeA, transposeB);
}

Value TileBuilder::scaled(Value x, Value factor) {
  if (!factor)
    return x;
  Value number = toReal(x);
  auto from = typeOf(factor), to = typeOf(number);
  return mul(number, from == to ? factor : broadcast(factor, passes::dimRange(0, from.getRank()), to.getShape()));
}

Value TileBuilder::scaledMatmul(Value x, Value factor, Value m, bool transposeM) {
  bool isTile = factor && typeOf(factor).getRank() == 2;
  Value rows = matmul(isTile ? scaled(x, factor) : x, m, false, transposeM);
  return isTile ? rows : scaled(rows, factor);
}

Value TileBuilder::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return typeOf(a).getRank() < typeOf(b).getRank() ? scaled(b, a) : scaled(a, b);
}

Value TileBuilder::rowDots(Value a, Value b) {
  Value left = toReal(a), right = toReal(b);
  return rowSums(mul(left, right));
}

static RankedTensorType rowType(Value x) { return typeOf(x).clone(typeOf(x).getShape().drop_front()); }

Value TileBuilder::columnSums(Value x) { return kern::TileSumOp::create(*this, rowType(x), x); }
Value TileBuilder::row(Value x, int64_t number) { return kern::TileRowOp::create(*this, rowType(x), x, number); }

Value TileBuilder::prefixSum(Value x, int64_t rows, bool exclusive, bool reverse) {
  return kern::PrefixSumOp::create(*this, x.getType(), x, rows, exclusive, reverse);
}

Value TileBuilder::inverse(Value matrix) { return kern::UnitInverseOp::create(*this, matrix.getType(), matrix); }

Value TileBuilder::solve(Value matrix, Value right, bool transpose) {
  return kern::UnitSolveOp::create(*this, right.getType(), matrix, right, transpose);
}

Value TileBuilder::rowNumbers(int64_t n) { return seq::ColumnIndexOp::create(*this, RankedTensorType::get({n}, real)); }

Value TileBuilder::square(Value vector, int64_t dimension) {
  int64_t n = typeOf(vector).getDimSize(0);
  return broadcast(vector, {dimension}, {n, n});
}

Value TileBuilder::wholePart(Value x) {
  Value whole = arith::FPToSIOp::create(*this, typeOf(x).clone(getI32Type()), x);
  return arith::SIToFPOp::create(*this, x.getType(), whole);
}

Value TileBuilder::indicator(Value condition) {
  auto type = typeOf(condition).clone(real);
  Value one = splat(type, 1), zero = splat(type, 0);
  return select(condition, one, zero);
}
