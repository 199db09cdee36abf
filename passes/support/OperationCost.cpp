//===- OperationCost.cpp - how long operations on elements take ---------------===//
#include "passes/support/OperationCost.h"

#include "ir/seq/SeqOps.h"
#include "ir/seq/TensorShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

double stretto::passes::cyclesOf(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<seq::MovementOp, seq::TapOp>(op))
    return 0;
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<arith::DivFOp, math::SqrtOp>([](auto) { return 10; })
      .Case<math::RsqrtOp>([](auto) { return 20; })
      .Case<math::ExpOp, seq::DropoutOp>([](auto) { return 15; })
      .Case<seq::SigmoidOp>([](auto) { return 28; })
      .Case<seq::SoftplusOp>([](auto) { return 45; })
      .Case<math::TanhOp, math::LogOp, math::Log1pOp, math::ErfOp, math::SinOp, math::CosOp>([](auto) { return 25; })
      .Default([](Operation *) { return 1; });
}

double stretto::passes::costOfOperation(Operation *op) {
  Value widest = op->getNumOperands() ? op->getOperand(0) : op->getResult(0);
  return cyclesOf(op) * elementsOf(widest);
}
