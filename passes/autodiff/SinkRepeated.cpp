//===- SinkRepeated.cpp - what is recomputed is so late -----------------------===//
#include "passes/autodiff/Passes.h"
#include "passes/autodiff/ReadAgain.h"

#include "ir/seq/Marks.h"

namespace stretto::passes {
#define GEN_PASS_DEF_SINKREPEATED
#include "passes/autodiff/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

/// Repeated operations of the library, and the recomputed rows that depend on them, in their order.
static SmallVector<Operation *> findSinking(Block &block) {
  llvm::SetVector<Operation *> sinking;
  auto sinks = [&](Value value) { return sinking.contains(value.getDefiningOp()); };
  for (Operation &op : block)
    if (op.hasAttr(kRepeatedAttr) || (isCopy(&op) && llvm::any_of(op.getOperands(), sinks)))
      sinking.insert(&op);
  return sinking.takeVector();
}

static Operation *firstReader(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers())
    if (!first || user->isBeforeInBlock(first))
      first = user;
  return first;
}

namespace {
struct SinkRepeatedPass : stretto::passes::impl::SinkRepeatedBase<SinkRepeatedPass> {
  void runOnOperation() final {
    if (getOperation().isExternal())
      return;
    SmallVector<Operation *> sinking = findSinking(getOperation().getBody().front());
    for (Operation *op : llvm::reverse(sinking))
      if (Operation *reader = firstReader(op))
        op->moveBefore(reader);
  }
};
} // namespace
