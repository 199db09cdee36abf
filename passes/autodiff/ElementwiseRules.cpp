//===- ElementwiseRules.cpp - derivatives of arithmetic and functions ----------===//
//
// Each rule is one line of mathematics: g is the gradient of the result, y the result, x the operand. Results are
// used where that is cheaper than the operand (exp, tanh, rsqrt, ...).
//
//===----------------------------------------------------------------------------===//
#include "passes/autodiff/Adjoints.h"

#include <cmath>

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// Rule of a function of one operand: dx = f(b, g, x, y), x and y fetched only when asked for.
template <Value (*F)(RowBuilder &, Value, llvm::function_ref<Value()>, llvm::function_ref<Value()>)>
LogicalResult unary(Operation *op, ValueRange gradients, Adjoints &a) {
  if (!a.isActive(op->getOperand(0)))
    return success();
  auto x = [&] { return a.primal(op->getOperand(0)); };
  auto y = [&] { return a.primal(op->getResult(0)); };
  a.add(op->getOperand(0), F(a.b, gradients[0], x, y));
  return success();
}

using Lazy = llvm::function_ref<Value()>;

Value negRule(RowBuilder &b, Value g, Lazy, Lazy) { return b.neg(g); }
Value expRule(RowBuilder &b, Value g, Lazy, Lazy y) { return b.mul(g, y()); }
Value logRule(RowBuilder &b, Value g, Lazy x, Lazy) { return b.div(g, x()); }
Value sqrtRule(RowBuilder &b, Value g, Lazy, Lazy y) { return b.div(b.scale(g, 0.5), y()); }

Value rsqrtRule(RowBuilder &b, Value g, Lazy, Lazy y) { // -y^3 / 2
  Value r = y();
  return b.mul(b.scale(g, -0.5), b.mul(r, b.mul(r, r)));
}

Value tanhRule(RowBuilder &b, Value g, Lazy, Lazy y) { // 1 - y^2
  Value t = y();
  return b.mul(g, b.sub(b.splat(t.getType(), 1.0), b.mul(t, t)));
}

Value sinRule(RowBuilder &b, Value g, Lazy x, Lazy) { return b.mul(g, math::CosOp::create(b, x())); }
Value cosRule(RowBuilder &b, Value g, Lazy x, Lazy) { return b.neg(b.mul(g, math::SinOp::create(b, x()))); }

Value erfRule(RowBuilder &b, Value g, Lazy x, Lazy) { // 2/sqrt(pi) exp(-x^2)
  Value v = x();
  Value density = math::ExpOp::create(b, b.neg(b.mul(v, v)));
  return b.mul(b.scale(g, 2.0 / std::sqrt(M_PI)), density);
}

Value absRule(RowBuilder &b, Value g, Lazy x, Lazy) { // sign(x), 0 at 0
  Value v = x(), zero = b.splat(v.getType(), 0.0);
  Value negative = b.select(b.less(v, zero), b.neg(g), zero);
  return b.select(b.greater(v, zero), g, negative);
}

Value sigmoidRule(RowBuilder &b, Value g, Lazy, Lazy y) { // y (1 - y)
  Value s = y();
  return b.mul(g, b.mul(s, b.sub(b.splat(s.getType(), 1.0), s)));
}

Value softplusRule(RowBuilder &b, Value g, Lazy x, Lazy) { return b.mul(g, seq::SigmoidOp::create(b, x())); }

LogicalResult addRule(Operation *op, ValueRange gradients, Adjoints &a) {
  a.add(op->getOperand(0), gradients[0]);
  a.add(op->getOperand(1), gradients[0]);
  return success();
}

LogicalResult subRule(Operation *op, ValueRange gradients, Adjoints &a) {
  a.add(op->getOperand(0), gradients[0]);
  if (a.isActive(op->getOperand(1)))
    a.add(op->getOperand(1), a.b.neg(gradients[0]));
  return success();
}

LogicalResult mulRule(Operation *op, ValueRange gradients, Adjoints &a) {
  Value x = op->getOperand(0), y = op->getOperand(1), g = gradients[0];
  if (x == y) {
    if (a.isActive(x))
      a.add(x, a.b.mul(a.b.scale(g, 2.0), a.primal(x)));
    return success();
  }
  if (a.isActive(x))
    a.add(x, a.b.mul(g, a.primal(y)));
  if (a.isActive(y))
    a.add(y, a.b.mul(g, a.primal(x)));
  return success();
}

LogicalResult divRule(Operation *op, ValueRange gradients, Adjoints &a) {
  Value x = op->getOperand(0), y = op->getOperand(1);
  Value quotient = a.b.div(gradients[0], a.primal(y)); // g / y
  a.add(x, quotient);
  if (a.isActive(y))
    a.add(y, a.b.neg(a.b.mul(quotient, a.primal(op->getResult(0)))));
  return success();
}

/// max and min pass the gradient to the operand that won; the second one on a tie, so that relu'(0) = 0.
template <Value (RowBuilder::*Wins)(Value, Value)>
LogicalResult extremeRule(Operation *op, ValueRange gradients, Adjoints &a) {
  Value x = op->getOperand(0), y = op->getOperand(1), g = gradients[0];
  Value first = (a.b.*Wins)(a.primal(x), a.primal(y)), zero = a.b.splat(g.getType(), 0.0);
  if (a.isActive(x))
    a.add(x, a.b.select(first, g, zero));
  if (a.isActive(y))
    a.add(y, a.b.select(first, zero, g));
  return success();
}

LogicalResult selectRule(Operation *op, ValueRange gradients, Adjoints &a) {
  Value g = gradients[0], zero = a.b.splat(g.getType(), 0.0);
  Value condition = a.primal(op->getOperand(0));
  if (a.isActive(op->getOperand(1)))
    a.add(op->getOperand(1), a.b.select(condition, g, zero));
  if (a.isActive(op->getOperand(2)))
    a.add(op->getOperand(2), a.b.select(condition, zero, g));
  return success();
}
} // namespace

void stretto::passes::addElementwiseRules(RuleTable &table) {
  table["arith.addf"] = addRule;
  table["arith.subf"] = subRule;
  table["arith.mulf"] = mulRule;
  table["arith.divf"] = divRule;
  table["arith.negf"] = unary<negRule>;
  table["arith.maximumf"] = extremeRule<&RowBuilder::greater>;
  table["arith.minimumf"] = extremeRule<&RowBuilder::less>;
  table["arith.select"] = selectRule;
  table["math.exp"] = unary<expRule>;
  table["math.log"] = unary<logRule>;
  table["math.sqrt"] = unary<sqrtRule>;
  table["math.rsqrt"] = unary<rsqrtRule>;
  table["math.tanh"] = unary<tanhRule>;
  table["math.sin"] = unary<sinRule>;
  table["math.cos"] = unary<cosRule>;
  table["math.erf"] = unary<erfRule>;
  table["math.absf"] = unary<absRule>;
  table["seq.sigmoid"] = unary<sigmoidRule>;
  table["seq.softplus"] = unary<softplusRule>;
}
