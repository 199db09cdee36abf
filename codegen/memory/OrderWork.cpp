//===- OrderWork.cpp - the order of work decides what is live at once ----------===//
#include "codegen/memory/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_ORDERWORK
#include "codegen/memory/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// The order of a block whose operations move. Where MLIR is asked after a move, it numbers the whole block anew.
class BlockOrder {
public:
  explicit BlockOrder(Block &block) : block(block) { spread(); }

  bool isBefore(Operation *a, Operation *b) const { return numbers.lookup(a) < numbers.lookup(b); }
  void moveBefore(Operation *op, Block::iterator place) {
    op->moveBefore(&block, place);
    Operation *before = op->getPrevNode(), *behind = op->getNextNode();
    uint64_t low = before ? numbers.lookup(before) : 0, high = numbers.lookup(behind);
    numbers[op] = low + (high - low) / 2;
    if (numbers[op] == low)
      spread();
  }

private:
  /// Leaves room between two neighbours for halving it many times.
  void spread() {
    uint64_t last = 0;
    for (Operation &op : block)
      numbers[&op] = last += uint64_t(1) << 32;
  }

  Block &block;
  llvm::DenseMap<Operation *, uint64_t> numbers;
};
} // namespace

/// The first operation of the block that reads a result of `op`, or null.
static Operation *firstUser(Operation *op, const BlockOrder &order) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers())
    if (!first || order.isBefore(user, first))
      first = user;
  return first;
}

/// Whether `argument` is read at `place` or behind it by another operation than `op`.
static bool isReadFrom(Operation *place, Value argument, Operation *op, const BlockOrder &order) {
  return llvm::any_of(argument.getUsers(), [&](Operation *user) { return user != op && !order.isBefore(user, place); });
}

/// Whether nothing lives longer when `op` moves down to `place`: it shows a part of its operand, or all it reads is
/// at hand there anyway.
static bool maySink(Operation *op, Operation *place, const BlockOrder &order) {
  if (seq::isViewOfOperand(op))
    return true;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    if (Operation *source = operand.getDefiningOp())
      return source->getNumOperands() == 0;
    return isReadFrom(place, operand, op, order);
  });
}

/// What is computed from saved values alone moves in front of its first reader.
static void sinkRecomputation(Block &block, BlockOrder &order) {
  SmallVector<Operation *> work;
  for (Operation &op : block.without_terminator())
    work.push_back(&op);
  for (Operation *op : llvm::reverse(work)) {
    Operation *place = firstUser(op, order);
    if (place && isMemoryEffectFree(op) && maySink(op, place, order))
      order.moveBefore(op, place->getIterator());
  }
}

/// Gradients of weights, matmuls that can be added up in place, move behind the last of their operands, which may die
/// there.
static void hoistWeightGradients(Block &block, BlockOrder &order) {
  for (auto op : llvm::make_early_inc_range(block.getOps<seq::LibraryOp>())) {
    if (op.getMatmulKind() != seq::MatmulKind::backward || !op.getAccumulatorSlot())
      continue;
    Operation *last = nullptr;
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp(); source && (!last || order.isBefore(last, source)))
        last = source;
    order.moveBefore(op, last ? std::next(last->getIterator()) : block.begin());
  }
}

namespace {
struct OrderWorkPass : stretto::codegen::impl::OrderWorkBase<OrderWorkPass> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      Block &block = function.getBody().front();
      BlockOrder order(block);
      sinkRecomputation(block, order);
      hoistWeightGradients(block, order);
    }
  }
};
} // namespace
