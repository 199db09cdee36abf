//===- SeqDialect.cpp - registration of the dialect `seq` ---------------------===//
#include "ir/seq/BlockInliner.h"
#include "ir/seq/LossTerms.h"
#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto::seq;

#include "ir/seq/SeqDialect.cpp.inc"
#include "ir/seq/SeqEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/seq/SeqAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "ir/seq/SeqOps.cpp.inc"

void SeqDialect::initialize() {
  addInterfaces<BlockInliner>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/seq/SeqAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/seq/SeqOps.cpp.inc"
      >();
}

LogicalResult SeqDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != stretto::nllSquareAttr && attribute.getName() != stretto::zLossAttr)
    return success();
  auto number = dyn_cast<FloatAttr>(attribute.getValue());
  if (number && number.getType().isF64() && stretto::isCoefficient(number.getValue()))
    return success();
  return op->emitOpError() << attribute.getName() << " must be a finite f64 of at least 0, but got "
                           << attribute.getValue();
}
