//===- AddInProducts.cpp - products add as they write --------------------------===//
#include "passes/Fusion/RowRoles.h"
#include "passes/Simplify/Passes.h"
#include "passes/Support/StoredBytes.h"

#include "mlir/IR/Remarks.h"

namespace stretto {
#define GEN_PASS_DEF_ADDINPRODUCTS
#include "passes/Simplify/Passes.h.inc"
} // namespace stretto

using namespace mlir;
using namespace stretto;

/// The product that an operand of a sum is, if nothing else reads it and it adds nothing yet.
static seq::LinearOp productOf(Value value) {
  auto linear = value.getDefiningOp<seq::LinearOp>();
  return linear && linear->hasOneUse() && !linear.getAddend() ? linear : seq::LinearOp();
}

/// Whether a value lies in memory before the sum is computed, whatever is fused.
static bool isStoredAnyway(Value value, const RowRoles &roles) {
  Operation *maker = value.getDefiningOp();
  return !maker || (roles.getRole(maker) == RowRole::outside && !maker->hasTrait<OpTrait::ConstantLike>());
}

namespace {
struct AddInProductsPass : stretto::impl::AddInProductsBase<AddInProductsPass> {
  void runOnOperation() final {
    auto &rows = getAnalysis<RowAnalysis>();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        addInProducts(function, rows);
  }

private:
  /// From the first sum on, so that a product that adds is what the next one adds to.
  static void addInProducts(func::FuncOp function, const RowAnalysis &rows) {
    RowRoles roles(function, rows);
    for (auto sum : llvm::make_early_inc_range(function.getBody().front().getOps<arith::AddFOp>()))
      if (rows.isRow(sum))
        addInProduct(sum, function, roles);
  }

  static void addInProduct(arith::AddFOp sum, func::FuncOp function, const RowRoles &roles) {
    Value addend = sum.getLhs();
    seq::LinearOp product = productOf(sum.getRhs());
    if (!product) {
      addend = sum.getRhs();
      product = productOf(sum.getLhs());
    }
    if (!product)
      return;
    auto options = remark::RemarkOpts::name("AddInProduct").category("fusion").function(function.getName());
    if (!isStoredAnyway(addend, roles)) {
      remark::missed(sum.getLoc(), options) << "a kernel adds to the product" << remark::reason("what it adds is computed by a kernel");
      return;
    }
    int64_t bytes = storedBytes(sum);
    remark::passed(sum.getLoc(), options) << "the product adds as it writes" << remark::metric("BytesNotMoved", 2 * bytes)
                                          << remark::metric("BytesReadByProduct", bytes);
    OpBuilder b(sum);
    sum.replaceAllUsesWith(seq::LinearOp::create(b, product.getLoc(), sum.getType(), product.getOperand(), product.getWeight(),
                                                 addend).getResult());
    sum.erase();
    product.erase();
  }
};
} // namespace
