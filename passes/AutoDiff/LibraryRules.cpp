//===- LibraryRules.cpp - derivatives of products, attention, embeddings -------===//
#include "passes/AutoDiff/Adjoints.h"

using namespace mlir;
using namespace stretto;

namespace {
LogicalResult linearRule(Operation *op, ValueRange gradients, Adjoints &a) {
  auto linear = cast<seq::LinearOp>(op);
  Value x = linear.getOperand(), w = linear.getWeight(), g = gradients[0];
  if (a.isActive(x))
    a.add(x, seq::LinearInputGradOp::create(a.b, x.getType(), g, a.primal(w)));
  if (a.isActive(w))
    a.add(w, seq::LinearWeightGradOp::create(a.b, w.getType(), g, a.primal(x), Value()));
  if (Value addend = linear.getAddend(); addend && a.isActive(addend))
    a.add(addend, g);
  return success();
}

LogicalResult attentionRule(Operation *op, ValueRange gradients, Adjoints &a) {
  auto attention = cast<seq::AttentionOp>(op);
  if (gradients[1])
    return op->emitError() << "the log-sum-exp of attention has no derivative";
  Value q = a.primal(attention.getQ()), k = a.primal(attention.getK()), v = a.primal(attention.getV());
  auto primalOf = [&](Value given) { return given ? a.primal(given) : Value(); };
  auto grad = seq::AttentionGradOp::create(
      a.b, TypeRange{q.getType(), k.getType(), v.getType()}, gradients[0], q, k, v, a.primal(attention.getOut()),
      a.primal(attention.getLse()), primalOf(attention.getPositions()), primalOf(attention.getStarts()), attention.getHeads(), attention.getKvHeads(), attention.getScale(),
      attention.getCausal());
  a.add(attention.getQ(), grad.getDq());
  a.add(attention.getK(), grad.getDk());
  a.add(attention.getV(), grad.getDv());
  return success();
}

LogicalResult embedRule(Operation *op, ValueRange gradients, Adjoints &a) {
  auto embed = cast<seq::EmbedOp>(op);
  if (a.isActive(embed.getTable()))
    a.add(embed.getTable(), seq::EmbedGradOp::create(a.b, embed.getTable().getType(), a.primal(embed.getTokens()),
                                                     gradients[0], Value()));
  return success();
}
} // namespace

void stretto::addLibraryRules(RuleTable &table) {
  table["seq.linear"] = linearRule;
  table["seq.attention"] = attentionRule;
  table["seq.embed"] = embedRule;
}
