//===- GiveDropoutKeys.cpp - keys of tokens as an input of training -----------===//
#include "passes/layers/Passes.h"
#include "passes/layers/Places.h"

#include "ir/seq/Documents.h"
#include "ir/seq/Purpose.h"

namespace stretto::passes {
#define GEN_PASS_DEF_GIVEDROPOUTKEYS
#include "passes/layers/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
struct GiveDropoutKeysPass : stretto::passes::impl::GiveDropoutKeysBase<GiveDropoutKeysPass> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!isEntry(function, seq::EntryKind::training))
        continue;
      Places places(function, /*room=*/0);
      (void)forEachOperation(places, [](Operation *op, Places &at) {
        if (auto dropout = dyn_cast<seq::DropoutOp>(op); dropout && !dropout.getKeys())
          giveKeys(dropout, at.dropoutKeys());
        return success();
      });
    }
  }

  static void giveKeys(seq::DropoutOp dropout, Value ofTokens) {
    RowBuilder b(dropout.getLoc(), OpBuilder(dropout));
    dropout.getKeysMutable().assign(b.broadcast(ofTokens, {0, 1}, typeOf(dropout.getResult()).getShape()));
  }
};
} // namespace
