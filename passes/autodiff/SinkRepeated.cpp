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

static bool isRepeated(Operation *op) { return op->hasAttr(kRepeatedAttr); }

/// Repeated operations of the library, recomputed rows, and rows, or kernels of them, that repeated operations read, in
/// their order; nothing where the library repeats nothing.
static SmallVector<Operation *> findSinking(Block &block) {
  SmallVector<Operation *> sinking;
  if (llvm::none_of(block, [](Operation &op) { return isRepeated(&op); }))
    return sinking;
  for (Operation &op : block)
    if (isRepeated(&op) || isCopy(&op) || (!isa<seq::LibraryOp>(op) && llvm::any_of(op.getUsers(), isRepeated)))
      sinking.push_back(&op);
  return sinking;
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
