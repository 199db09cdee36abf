//===- Flops.cpp - how much a kernel of rows computes -------------------------===//
#include "ir/kern/Flops.h"

#include "ir/seq/SeqOps.h"
#include "ir/seq/TensorShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;

double kern::flopsOf(Block &body) {
  double flops = 0;
  for (Operation &op : body.without_terminator()) {
    if (isa<seq::ReduceOp, seq::ColumnSumOp>(op))
      flops += elementsOf(op.getOperand(0));
    else if (op.hasTrait<OpTrait::Elementwise>() && !op.hasTrait<OpTrait::ConstantLike>() &&
             !isa<arith::ExtFOp, arith::TruncFOp, arith::SelectOp>(op))
      flops += elementsOf(op.getResult(0));
  }
  return flops;
}
