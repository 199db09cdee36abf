//===- OrderWork.cpp - the order of work decides what is live at once ----------===//
#include "codegen/memory/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_ORDERWORK
#include "codegen/memory/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// The first operation of the block that reads a result of `op`, or null.
static Operation *firstUser(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers())
    if (!first || user->isBeforeInBlock(first))
      first = user;
  return first;
}

/// Whether `argument` is read at `place` or behind it by another operation than `op`.
static bool isReadFrom(Operation *place, Value argument, Operation *op) {
  return llvm::any_of(argument.getUsers(),
                      [&](Operation *user) { return user != op && !user->isBeforeInBlock(place); });
}

/// Whether nothing lives longer when `op` moves down to `place`: it shows a part of its operand, or all it reads is
/// at hand there anyway.
static bool maySink(Operation *op, Operation *place) {
  if (seq::isViewOfOperand(op))
    return true;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    if (Operation *source = operand.getDefiningOp())
      return source->getNumOperands() == 0;
    return isReadFrom(place, operand, op);
  });
}

/// What is computed from saved values alone moves in front of its first reader.
static void sinkRecomputation(Block &block) {
  SmallVector<Operation *> work;
  for (Operation &op : block.without_terminator())
    work.push_back(&op);
  for (Operation *op : llvm::reverse(work)) {
    Operation *place = firstUser(op);
    if (place && isMemoryEffectFree(op) && maySink(op, place))
      op->moveBefore(place);
  }
}

/// Gradients of weights, matmuls that can be added up in place, move behind the last of their operands, which may die
/// there.
static void hoistWeightGradients(Block &block) {
  for (auto op : llvm::make_early_inc_range(block.getOps<seq::LibraryOp>())) {
    if (op.getMatmulKind() != seq::MatmulKind::backward || !op.getAccumulatorSlot())
      continue;
    Operation *last = nullptr;
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp(); source && (!last || last->isBeforeInBlock(source)))
        last = source;
    if (last)
      op->moveAfter(last);
    else
      op->moveBefore(&block, block.begin());
  }
}

namespace {
struct OrderWorkPass : stretto::codegen::impl::OrderWorkBase<OrderWorkPass> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      Block &block = function.getBody().front();
      sinkRecomputation(block);
      hoistWeightGradients(block);
    }
  }
};
} // namespace
