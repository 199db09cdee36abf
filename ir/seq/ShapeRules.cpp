//===- ShapeRules.cpp - shape rules that operations have in common ------------===//
#include "ir/seq/ShapeRules.h"

#include "ir/seq/TensorShape.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace stretto;

LogicalResult stretto::seq::sameElements(Operation *op, RankedTensorType a, RankedTensorType b,
                                         RankedTensorType result) {
  if (a.getElementType() != b.getElementType())
    return op->emitOpError() << "operands must be of one type, but got " << a << " and " << b;
  Type element = result.getElementType();
  if (element != a.getElementType() && !(a.getElementType().isBF16() && element.isF32()))
    return op->emitOpError() << "result must be of type " << a.getElementType()
                             << (a.getElementType().isBF16() ? " or f32" : "") << ", but got " << result;
  return success();
}

LogicalResult stretto::seq::wideElements(Operation *op, StringRef what, RankedTensorType type,
                                         RankedTensorType activation) {
  Type element = activation.getElementType();
  Type expected = element.isBF16() ? Float32Type::get(op->getContext()) : element;
  if (type.getElementType() == expected)
    return success();
  return op->emitOpError() << what << " must be of type " << expected << ", but got " << type;
}

LogicalResult stretto::seq::haveShape(Operation *op, StringRef what, RankedTensorType type, ArrayRef<int64_t> shape) {
  if (type.getShape() == shape)
    return success();
  auto diagnostic = op->emitOpError() << what << " must have shape [";
  llvm::interleaveComma(shape, diagnostic);
  return diagnostic << "], but got " << type;
}

LogicalResult stretto::seq::haveType(Operation *op, StringRef what, RankedTensorType type, RankedTensorType expected) {
  if (type == expected)
    return success();
  return op->emitOpError() << what << " must have type " << expected << ", but got " << type;
}

LogicalResult stretto::seq::verifyHeads(Operation *op, RankedTensorType q, RankedTensorType k, int64_t heads,
                                        int64_t kvHeads) {
  int64_t ofQ = q.getShape().back(), ofK = k.getShape().back();
  if (heads < 1 || kvHeads < 1 || heads % kvHeads != 0)
    return op->emitOpError() << "kv_heads must divide heads, but got " << kvHeads << " and " << heads;
  if (ofQ % heads != 0 || ofK % kvHeads != 0 || ofQ / heads != ofK / kvHeads)
    return op->emitOpError() << "head widths of q and k must agree, but got " << q << " with " << heads << " heads and "
                             << k << " with " << kvHeads;
  return success();
}

LogicalResult stretto::seq::isPositive(Operation *op, StringRef name, const std::optional<APFloat> &number) {
  if (!number || (number->isFinite() && number->convertToDouble() > 0))
    return success();
  return op->emitOpError() << name << " must be a positive number, but got " << number->convertToDouble();
}

LogicalResult stretto::seq::verifySinks(Operation *op, Value sinks, RankedTensorType q, int64_t heads) {
  if (!sinks)
    return success();
  if (failed(haveShape(op, "sinks", typeOf(sinks), {heads})))
    return failure();
  return wideElements(op, "sinks", typeOf(sinks), q);
}

LogicalResult stretto::seq::verifyBias(Operation *op, Value bias, RankedTensorType q, int64_t heads) {
  if (!bias)
    return success();
  RankedTensorType type = typeOf(bias);
  if (type.getRank() != 2 || type.getDimSize(0) != heads || type.getDimSize(1) < 1)
    return op->emitOpError() << "bias must be [" << heads << ", reach], but got " << type;
  return wideElements(op, "bias", type, q);
}

LogicalResult stretto::seq::verifyDecay(Operation *op, Value decay, RankedTensorType q, ArrayRef<int64_t> shape) {
  if (!decay)
    return success();
  if (failed(haveShape(op, "decay", typeOf(decay), shape)))
    return failure();
  return wideElements(op, "decay", typeOf(decay), q);
}
