//===- Originals.cpp - what recomputed operations compute again ---------------===//
#include "passes/fusion/Originals.h"

#include "ir/seq/Marks.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace stretto;

namespace {
/// Numbers operations by what they compute: equal ones are represented by the first of them, a forward one if there is.
class Numbering {
public:
  /// The first operation that computes the same as `op`; `op` itself if none did before.
  Operation *add(Operation *op) {
    SmallVector<Operation *> &sameHash = byHash[hashOf(op)];
    auto first = llvm::find_if(sameHash, [&](Operation *other) { return isSame(other, op); });
    if (first == sameHash.end()) {
      sameHash.push_back(op);
      return op;
    }
    for (auto [result, as] : llvm::zip_equal(op->getResults(), (*first)->getResults()))
      firstOf[result] = as;
    return *first;
  }

private:
  /// Marks do not matter, but with them go all attributes that are no properties, which no pure operation computes by.
  static constexpr auto flags = static_cast<OperationEquivalence::Flags>(OperationEquivalence::IgnoreLocations |
                                                                         OperationEquivalence::IgnoreDiscardableAttrs);

  Value representative(Value value) const { return firstOf.lookup_or(value, value); }
  llvm::hash_code hashOf(Operation *op) const {
    return OperationEquivalence::computeHash(
        op, [&](Value operand) { return mlir::hash_value(representative(operand)); },
        OperationEquivalence::ignoreHashValue, flags);
  }
  bool isSame(Operation *one, Operation *other) const {
    auto areSame = [&](Value a, Value b) { return success(representative(a) == representative(b)); };
    return OperationEquivalence::isEquivalentTo(one, other, areSame, /*markEquivalent=*/nullptr, flags);
  }

  DenseMap<llvm::hash_code, SmallVector<Operation *>> byHash;
  DenseMap<Value, Value> firstOf;
};
} // namespace

DenseMap<Operation *, Operation *> stretto::passes::findOriginals(func::FuncOp function) {
  DenseMap<Operation *, Operation *> originals;
  Numbering numbering;
  for (Operation &op : function.getBody().front())
    if (isMemoryEffectFree(&op) && op.getNumRegions() == 0)
      if (Operation *first = numbering.add(&op); op.hasAttr(kRecomputedAttr) && !first->hasAttr(kRecomputedAttr))
        originals[&op] = first;
  return originals;
}
