//===- ParameterTrace.cpp - values made of weights, and their gradients -------===//
#include "codegen/facts/ParameterTrace.h"

#include "ir/kern/KernOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

ParameterTrace::ParameterTrace(const Timeline &timeline) {
  for (func::FuncOp function : timeline.functions()) { // callers first
    traceWeights(function, timeline.caller(function));
    traceGradients(function, timeline.caller(function));
  }
}

/// Of several values all of which are known: what is known of any. Else nothing.
static ParameterSet unionOfAll(ValueRange values, const llvm::DenseMap<Value, ParameterSet> &known) {
  ParameterSet all;
  for (Value value : values) {
    ParameterSet one = known.lookup(value);
    if (one.empty())
      return {};
    all.insert_range(one);
  }
  return all;
}

/// What makes weights of weights.
static bool passesWeights(Operation *op) {
  return seq::isViewOfOperand(op) || isa<kern::PackOp, kern::RowwiseOp, kern::SumPartialsOp>(op);
}

/// What the weights are made of among the operands of what makes weights; the others are numbers.
ParameterSet ParameterTrace::madeOf(Operation *op) {
  SmallVector<Value> made(llvm::make_filter_range(op->getOperands(), [&](Value v) { return !numbers.contains(v); }));
  if (made.empty())
    numbers.insert_range(op->getResults());
  return unionOfAll(made, weights);
}

void ParameterTrace::traceWeights(func::FuncOp function, seq::ScanOp caller) {
  Block &block = function.getBody().front();
  if (caller)
    for (unsigned i = caller.getCarry().size(); i < block.getNumArguments(); ++i) {
      weights[block.getArgument(i)] = ofWeight(caller->getOperand(i));
      if (numbers.contains(caller->getOperand(i)))
        numbers.insert(block.getArgument(i));
    }
  for (Operation &op : block) {
    ParameterSet made;
    if (auto get = dyn_cast<seq::GetParameterOp>(op))
      made.insert(get.getParameterAttr().getAttr());
    else if (isa<seq::LayerNumbersOp>(op))
      numbers.insert(op.getResult(0));
    else if (passesWeights(&op))
      made = madeOf(&op);
    for (Value result : op.getResults())
      weights[result] = made;
  }
}

/// The results of an operation that hold what it makes of an operand as a part of a gradient.
static ValueRange gradientsMadeOf(OpOperand &operand) {
  Operation *op = operand.getOwner();
  auto result = [&](unsigned i) { return op->getResults().slice(i, 1); };
  if (auto sums = dyn_cast<kern::SumPartialsOp>(op))
    return result(operand.getOperandNumber() < sums.getSums().size() ? operand.getOperandNumber() : 0);
  if (auto scan = dyn_cast<seq::ScanOp>(op))
    return scan.isCarry(operand.getOperandNumber()) ? result(operand.getOperandNumber()) : ValueRange();
  if (auto library = dyn_cast<seq::LibraryOp>(op); library && library.getAccumulatorOperand() == &operand)
    return result(0);
  return seq::isViewOfOperand(op) || isa<kern::RowwiseOp>(op) ? op->getResults() : ValueRange();
}

void ParameterTrace::traceGradients(func::FuncOp function, seq::ScanOp caller) {
  for (Operation &op : llvm::reverse(function.getBody().front()))
    for (OpOperand &operand : op.getOpOperands()) {
      ParameterSet becomes;
      if (auto gradient = dyn_cast<seq::GradientOp>(op))
        becomes.insert(gradient.getParameterAttr().getAttr());
      else if (isa<func::ReturnOp>(op) && caller)
        becomes = ofGradient(caller.getResult(operand.getOperandNumber()));
      else
        becomes = unionOfAll(gradientsMadeOf(operand), gradients);
      gradients[operand.get()].insert_range(becomes);
    }
}
