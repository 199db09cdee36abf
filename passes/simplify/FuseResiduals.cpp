//===- FuseResiduals.cpp - matmuls add as they write --------------------------===//
#include "passes/fusion/RowRoles.h"
#include "passes/simplify/Passes.h"
#include "passes/support/StoredBytes.h"

#include "ir/seq/Marks.h"

#include "mlir/IR/Remarks.h"

namespace stretto::passes {
#define GEN_PASS_DEF_FUSERESIDUALS
#include "passes/simplify/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

/// The matmul that an operand of a sum is, if nothing else reads it and it adds nothing yet.
static seq::LibraryOp matmulOf(Value value) {
  auto matmul = value.getDefiningOp<seq::LibraryOp>();
  if (!matmul || !matmul->hasOneUse())
    return {};
  auto slot = matmul.getResidualSlot();
  return slot && slot->empty() ? matmul : seq::LibraryOp();
}

/// Whether a value lies in memory before the sum is computed, whatever is fused.
static bool isStoredAnyway(Value value, const RowRoles &roles) {
  Operation *maker = value.getDefiningOp();
  return !maker || (roles.getRole(maker) == RowRole::outside && !maker->hasTrait<OpTrait::ConstantLike>());
}

namespace {
struct FuseResidualsPass : stretto::passes::impl::FuseResidualsBase<FuseResidualsPass> {
  void runOnOperation() final {
    auto &rows = getAnalysis<RowAnalysis>();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        fuseResiduals(function, rows);
  }

private:
  /// From the first sum on, so that a matmul that adds is what the next one adds to.
  static void fuseResiduals(func::FuncOp function, const RowAnalysis &rows) {
    RowRoles roles(function, rows);
    for (auto sum : llvm::make_early_inc_range(function.getBody().front().getOps<arith::AddFOp>()))
      if (rows.isRow(sum))
        fuseResidual(sum, function, roles);
  }

  static void fuseResidual(arith::AddFOp sum, func::FuncOp function, const RowRoles &roles) {
    Value residual = sum.getLhs();
    seq::LibraryOp matmul = matmulOf(sum.getRhs());
    if (!matmul) {
      residual = sum.getRhs();
      matmul = matmulOf(sum.getLhs());
    }
    if (!matmul)
      return;
    auto options = remark::RemarkOpts::name("FuseResidual").category("fusion").function(function.getName());
    bool isApart = isMarkedNoFuse(sum) || isMarkedNoFuse(matmul);
    if (isApart || !isStoredAnyway(residual, roles)) {
      remark::missed(sum.getLoc(), options) << "a kernel adds to the matmul"
                                            << remark::reason("{0}", isApart ? "the source asks for a kernel of its own"
                                                                             : "what it adds is computed by a kernel");
      return;
    }
    int64_t bytes = storedBytes(sum);
    remark::passed(sum.getLoc(), options)
        << "the matmul adds as it writes" << remark::metric("BytesNotMoved", 2 * bytes)
        << remark::metric("BytesReadByMatmul", bytes);
    matmul->moveBefore(sum);
    matmul.getResidualSlot()->assign(residual);
    sum.replaceAllUsesWith(matmul->getResult(0));
    sum.erase();
  }
};
} // namespace
