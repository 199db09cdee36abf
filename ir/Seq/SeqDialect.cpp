//===- SeqDialect.cpp - registration of the dialect `seq` ---------------------===//
#include "ir/Seq/BlockInliner.h"
#include "ir/Seq/SeqOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto::seq;

#include "ir/Seq/SeqDialect.cpp.inc"
#include "ir/Seq/SeqEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/Seq/SeqAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "ir/Seq/SeqOps.cpp.inc"

void SeqDialect::initialize() {
  addInterfaces<BlockInliner>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/Seq/SeqAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/Seq/SeqOps.cpp.inc"
      >();
}
