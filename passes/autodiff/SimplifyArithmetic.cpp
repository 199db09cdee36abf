//===- SimplifyArithmetic.cpp - fewer operations for the same gradient ----------===//
#include "passes/autodiff/Passes.h"
#include "passes/autodiff/ReadAgain.h"
#include "passes/support/RowBuilder.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace stretto::passes {
#define GEN_PASS_DEF_SIMPLIFYARITHMETIC
#include "passes/autodiff/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// Operations of the forward, and their copies, stay as the spec has them.
bool isOfForward(Operation *op) { return op->hasAttr(kIdAttr); }

bool hasBackward(func::FuncOp function) {
  return function->hasAttr(kForwardAttr) ||
         llvm::any_of(function.getOps(), [](Operation &op) { return isOfForward(&op); });
}

/// Operations of one kind that compute a value, and what they compute it from, from left to right.
template <typename Op> struct Tree {
  SmallVector<Op> nodes;
  SmallVector<Value> leaves;

  explicit Tree(Value root) {
    SmallVector<Value> stack{root};
    while (!stack.empty()) {
      Value value = stack.pop_back_val();
      Op op = value.getDefiningOp<Op>();
      if (!op || isOfForward(op) || (value != root && !value.hasOneUse())) {
        leaves.push_back(value);
        continue;
      }
      nodes.push_back(op);
      stack.append({op.getRhs(), op.getLhs()});
    }
  }
};

using Sum = Tree<arith::AddFOp>;
using Product = Tree<arith::MulFOp>;

/// Whether an addition is the last one of a sum of the backward: no other one of it takes what it gives.
bool isWholeSum(arith::AddFOp op) {
  auto next = op->hasOneUse() ? dyn_cast<arith::AddFOp>(*op->user_begin()) : arith::AddFOp();
  return !isOfForward(op) && (!next || isOfForward(next));
}

/// A product that is computed by the addition that reads it.
bool isMultiplyAdd(Value term) { return term.hasOneUse() && term.getDefiningOp<arith::MulFOp>(); }

/// Goes to where two values are known.
void goBehind(RowBuilder &b, Value x, Value y) {
  Operation *first = x.getDefiningOp(), *second = y.getDefiningOp();
  if (!first || (second && first->isBeforeInBlock(second)))
    std::swap(first, second);
  first ? b.setInsertionPointAfter(first) : b.setInsertionPointToStart(x.getParentBlock());
}

/// Replaces a sum by that of some terms, from left to right. Each is added as soon as it is known, so that it does not
/// wait for later ones.
void replaceSum(PatternRewriter &rewriter, arith::AddFOp op, ArrayRef<Value> terms) {
  RowBuilder b(op.getLoc(), rewriter);
  Value sum = terms.front();
  for (Value term : terms.drop_front()) {
    goBehind(b, sum, term);
    sum = b.add(sum, term);
  }
  rewriter.replaceOp(op, sum);
}

bool multiplies(arith::MulFOp product, Value x, Value y) {
  return (product.getLhs() == x && product.getRhs() == y) || (product.getLhs() == y && product.getRhs() == x);
}

/// A product of two values that the backward computes in front of an operation anyway, and that no library operation
/// reads: it would lie in memory for that. Null if there is none.
Value knownProduct(Value x, Value y, Operation *before) {
  for (Operation *user : x.getUsers()) {
    auto product = dyn_cast<arith::MulFOp>(user);
    if (product && multiplies(product, x, y) && product->getBlock() == before->getBlock() &&
        product->isBeforeInBlock(before) && (isCopy(product) || !isOfForward(product)) && !isReadByLibrary(product))
      return product;
  }
  return {};
}

/// Replaces two factors by their product, if that is known.
bool useKnownProduct(SmallVectorImpl<Value> &factors, Operation *before) {
  for (size_t i = 0; i < factors.size(); ++i)
    for (size_t j = i + 1; j < factors.size(); ++j)
      if (Value known = knownProduct(factors[i], factors[j], before)) {
        factors[i] = known;
        factors.erase(factors.begin() + j);
        return true;
      }
  return false;
}

Value productOf(RowBuilder &b, SmallVector<Value> factors, Operation *before) {
  while (useKnownProduct(factors, before)) {
  }
  Value product = factors.front();
  for (Value factor : ArrayRef(factors).drop_front())
    product = b.mul(product, factor);
  return product;
}

/// x * y + z * w + v -> v + x * y + z * w: as many additions, but each computes a product as well.
struct OrderTerms : OpRewritePattern<arith::AddFOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(arith::AddFOp op, PatternRewriter &rewriter) const final {
    if (!isWholeSum(op))
      return failure();
    Sum sum(op);
    auto addsProducts = [](arith::AddFOp add) { return isMultiplyAdd(add.getLhs()) && isMultiplyAdd(add.getRhs()); };
    auto *first = llvm::find_if_not(sum.leaves, isMultiplyAdd);
    if (first == sum.leaves.end() || llvm::none_of(sum.nodes, addsProducts))
      return failure();
    std::rotate(sum.leaves.begin(), first, std::next(first));
    replaceSum(rewriter, op, sum.leaves);
    return success();
  }
};

/// x * y + x * z * w -> x * (y + z * w), where one of the products has three factors or more.
struct FactorOut : OpRewritePattern<arith::AddFOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(arith::AddFOp op, PatternRewriter &rewriter) const final {
    if (!isWholeSum(op))
      return failure();
    Sum sum(op);
    SmallVector<SmallVector<Value>> products;
    for (Value term : sum.leaves)
      products.push_back(term.hasOneUse() ? Product(term).leaves : SmallVector<Value>{term});
    for (size_t i = 0; i < products.size(); ++i)
      for (size_t j = i + 1; j < products.size(); ++j)
        if (Value shared = worthFactoringOut(products[i], products[j])) {
          RowBuilder b(op.getLoc(), rewriter);
          sum.leaves[i] =
              b.mul(shared, b.add(without(products[i], shared, b, op), without(products[j], shared, b, op)));
          sum.leaves.erase(sum.leaves.begin() + j);
          replaceSum(rewriter, op, sum.leaves);
          return success();
        }
    return failure();
  }

private:
  static constexpr size_t fewestFactors = 5; // of two products; with four as many operations are left

  static Value worthFactoringOut(ArrayRef<Value> first, ArrayRef<Value> second) {
    if (first.size() < 2 || second.size() < 2 || first.size() + second.size() < fewestFactors)
      return {};
    auto *shared = llvm::find_if(first, [&](Value factor) { return llvm::is_contained(second, factor); });
    return shared == first.end() ? Value() : *shared;
  }

  static Value without(SmallVector<Value> factors, Value factor, RowBuilder &b, Operation *before) {
    factors.erase(llvm::find(factors, factor));
    return productOf(b, std::move(factors), before);
  }
};

struct SimplifyArithmeticPass : stretto::passes::impl::SimplifyArithmeticBase<SimplifyArithmeticPass> {
  void runOnOperation() final {
    if (!hasBackward(getOperation()))
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<OrderTerms, FactorOut>(&getContext());
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
