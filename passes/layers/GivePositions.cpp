//===- GivePositions.cpp - positions as inputs of entries ---------------------===//
#include "passes/layers/Passes.h"
#include "passes/layers/Places.h"

#include "ir/seq/Documents.h"

namespace stretto::passes {
#define GEN_PASS_DEF_GIVEPOSITIONS
#include "passes/layers/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
struct GivePositionsPass : stretto::passes::impl::GivePositionsBase<GivePositionsPass> {
  void runOnOperation() final {
    if (documentsOf(getOperation())) // positions are those in documents
      return;
    bool isAsked = getOperation().walk([](seq::PositionsOp) { return WalkResult::interrupt(); }).wasInterrupted();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!isAsked || !readsBatches(function))
        continue;
      Places places(function, /*room=*/0);
      (void)places.positions(); // entries have the same inputs, whichever of them asks
      (void)forEachOperation(places, [](Operation *op, Places &at) {
        if (auto positions = dyn_cast<seq::PositionsOp>(op)) {
          positions.replaceAllUsesWith(at.positions());
          positions.erase();
        }
        return success();
      });
    }
  }
};
} // namespace
