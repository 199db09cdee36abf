//===- WalkRoles.cpp - what the body of a walk makes of its operands ------------===//
#include "WalkRoles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

WalkRoles::WalkRoles(kern::WalkOp op) {
  op.walk([&](math::ExpOp exp) { addLogarithms(exp.getOperand(), /*isSum=*/false); });
  op.walk([&](kern::UnitSolveOp solve) { addSolved(solve.getMatrix()); });
  op.walk([&](kern::UnitInverseOp inverse) { addSolved(inverse.getOperand()); });
}

/// From an exponent back through what keeps signs.
void WalkRoles::addLogarithms(Value exponent, bool isSum) {
  Operation *op = exponent.getDefiningOp();
  if (!op && isSum)
    logarithms.insert(exponent);
  bool addsRows = isa_and_present<kern::PrefixSumOp, kern::TileSumOp>(op);
  bool keepsSigns =
      isa_and_present<kern::TileRowOp, seq::BroadcastOp, arith::ExtFOp, arith::TruncFOp, arith::MaximumFOp>(op);
  if (addsRows || keepsSigns)
    addLogarithms(op->getOperand(0), isSum || addsRows);
}

void WalkRoles::addSolved(Value part) {
  if (!solved.insert(part).second || !part.getDefiningOp())
    return;
  for (Value operand : part.getDefiningOp()->getOperands())
    addSolved(operand);
}
