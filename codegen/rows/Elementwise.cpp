//===- Elementwise.cpp - operations of a row body as vector code ----------------===//
#include "codegen/rows/Elementwise.h"

#include "codegen/rows/ElementMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

Value stretto::codegen::emitConstant(VectorBuilder &b, Operation *constant) {
  DenseElementsAttr elements;
  matchPattern(constant, m_Constant(&elements));
  return arith::ConstantOp::create(b, elements.getSplatValue<TypedAttr>());
}

Value stretto::codegen::emitElementwise(VectorBuilder &b, Operation *op, ValueRange operands) {
  IRMapping mapping;
  mapping.map(op->getOperands(), operands);
  Operation *copy = b.clone(*op, mapping);
  copy->setDiscardableAttrs(DictionaryAttr::get(op->getContext()));
  int64_t width = operands.empty() ? 1 : lanesOf(operands[0]);
  copy->getResult(0).setType(withLanes(getElementTypeOrSelf(op->getResult(0)), width));
  return copy->getResult(0);
}

Value stretto::codegen::emitContracted(VectorBuilder &b, Operation *sum, bool onLeft, Value x, Value y, Value z) {
  if (isa<arith::SubFOp>(sum) && onLeft)
    z = arith::NegFOp::create(b, z);
  else if (isa<arith::SubFOp>(sum))
    x = arith::NegFOp::create(b, x);
  return b.mulAdd(x, y, z);
}

Value stretto::codegen::emitColumnNumbers(VectorBuilder &b, Type type, Value first, int64_t lanes) {
  Value real = arith::SIToFPOp::create(b, type, first);
  if (lanes == 1)
    return real;
  SmallVector<Attribute> steps;
  for (int64_t lane = 0; lane < lanes; ++lane)
    steps.push_back(FloatAttr::get(type, static_cast<double>(lane)));
  Value iota = arith::ConstantOp::create(b, DenseElementsAttr::get(VectorType::get({lanes}, type), steps));
  return arith::AddFOp::create(b, b.splat(real, lanes), iota);
}

Value stretto::codegen::emitSoftplus(VectorBuilder &b, Value x) {
  Value e = math::ExpOp::create(b, arith::NegFOp::create(b, math::AbsFOp::create(b, x)));
  Value positive = arith::MaximumFOp::create(b, x, b.real(x.getType(), 0));
  return arith::AddFOp::create(b, positive, math::Log1pOp::create(b, e));
}

LogicalResult stretto::codegen::checkKernel(kern::RowKernel op) {
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if (op.isColumnSum(i) && !op.getPartialSums())
      return op.emitOpError("column sums must be split into partial sums to become code");
  for (Operation &inner : op.getBody().front()) {
    if (auto dropout = dyn_cast<seq::DropoutOp>(inner); dropout && !dropout.getKeys())
      return dropout.emitOpError("needs keys, which seq-give-dropout-keys gives to entries of training");
    DenseElementsAttr elements;
    if (inner.hasTrait<OpTrait::ConstantLike>() &&
        (!matchPattern(&inner, m_Constant(&elements)) || !elements.isSplat()))
      return inner.emitOpError("constant of a fused kernel must have one value, but got ")
             << inner.getResult(0).getType();
  }
  return success();
}
