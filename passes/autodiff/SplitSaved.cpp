//===- SplitSaved.cpp - keep what was decided to keep ---------------------------===//
#include "passes/autodiff/Numbering.h"
#include "passes/autodiff/Passes.h"
#include "passes/support/Scans.h"
#include "passes/support/StoredBytes.h"

#include "llvm/ADT/BitVector.h"

namespace stretto::passes {
#define GEN_PASS_DEF_SPLITSAVED
#include "passes/autodiff/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// Original operations of a forward, by number.
llvm::DenseMap<int64_t, Operation *> originalsOf(func::FuncOp forward) {
  llvm::DenseMap<int64_t, Operation *> originals;
  for (Operation &op : forward.getBody().front())
    if (auto id = op.getAttrOfType<IntegerAttr>(kIdAttr); id && !op.hasAttr(kRecomputedAttr) && !op.hasAttr(kSavedAttr))
      originals[id.getInt()] = &op;
  return originals;
}

/// A forward scan, its backward scan, and their bodies.
struct ScanPair {
  seq::ScanOp forwardScan, backwardScan;
  func::FuncOp forward, backward;

  /// Lets the forward stack `value`, and returns what the backward body reads instead.
  Value stack(Value value) {
    Operation *end = forward.getBody().front().getTerminator();
    end->insertOperands(end->getNumOperands(), value);
    updateType(forward);
    SmallVector<Type> results(forwardScan.getResultTypes());
    results.push_back(stackType(forwardScan, value.getType()));
    replace(forwardScan, results, forwardScan.getSlices(), forwardScan.getInvariants());

    SmallVector<Value> slices(backwardScan.getSlices());
    unsigned position = backwardScan.getCarry().size() + slices.size();
    slices.push_back(forwardScan->getResults().back());
    replace(backwardScan, backwardScan.getResultTypes(), slices, backwardScan.getInvariants());
    Value read = addArgument(backward, position, value.getType(), value.getLoc());
    Builder b(backward.getContext());
    backward.setArgAttr(position, kSavedAttr, b.getI64IntegerAttr(storedBytes(value)));
    return read;
  }

  /// Removes slices and invariants that the backward body does not read.
  void dropUnusedArguments() {
    unsigned carries = backwardScan.getCarry().size();
    llvm::BitVector unused(backward.getNumArguments());
    for (unsigned i = carries; i < backward.getNumArguments(); ++i)
      unused[i] = backward.getArgument(i).use_empty();
    if (unused.none())
      return;
    SmallVector<Value> slices, invariants;
    unsigned firstInvariant = carries + backwardScan.getSlices().size();
    for (unsigned i = carries; i < backward.getNumArguments(); ++i) {
      if (unused[i])
        continue;
      Value operand = backwardScan->getOperand(i);
      (i < firstInvariant ? slices : invariants).push_back(operand);
    }
    (void)backward.eraseArguments(unused);
    replace(backwardScan, backwardScan.getResultTypes(), slices, invariants);
  }

  /// Removes stacks that nobody reads.
  void dropUnusedStacks() {
    Operation *end = forward.getBody().front().getTerminator();
    unsigned carries = forwardScan.getCarry().size();
    SmallVector<Value> returned(end->getOperands().take_front(carries));
    SmallVector<Value> used(forwardScan.getCarryResults());
    for (unsigned i = carries; i < forwardScan.getNumResults(); ++i)
      if (!forwardScan.getResult(i).use_empty()) {
        returned.push_back(end->getOperand(i));
        used.push_back(forwardScan.getResult(i));
      }
    if (used.size() == forwardScan.getNumResults())
      return;
    end->setOperands(returned);
    updateType(forward);
    auto rebuilt = rebuildScan(forwardScan, ValueRange(used).getTypes(), forwardScan.getCarry(),
                               forwardScan.getSlices(), forwardScan.getInvariants());
    for (auto [from, to] : llvm::zip_equal(used, rebuilt->getResults()))
      from.replaceAllUsesWith(to);
    forwardScan.erase();
    forwardScan = rebuilt;
  }

private:
  /// Puts one with further results, other slices and other invariants in the place of a scan.
  static void replace(seq::ScanOp &scan, TypeRange results, ValueRange slices, ValueRange invariants) {
    seq::ScanOp rebuilt = rebuildScan(scan, results, scan.getCarry(), slices, invariants);
    scan->replaceAllUsesWith(rebuilt->getResults().take_front(scan.getNumResults()));
    scan.erase();
    scan = rebuilt;
  }
};

struct SplitSavedPass : stretto::passes::impl::SplitSavedBase<SplitSavedPass> {
  void runOnOperation() final {
    SymbolTable symbols(getOperation());
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (function.isDeclaration())
        continue;
      func::FuncOp forward = requireForward(function, symbols);
      if (!forward || failed(forward == function ? useOriginals(function) : splitScan(forward, function)))
        return signalPassFailure();
    }
    getOperation().walk([](Operation *op) { op->removeAttr(kIdAttr); });
  }

  /// The saved copies of a function, in order.
  static SmallVector<Operation *> savedCopies(func::FuncOp function) {
    SmallVector<Operation *> copies;
    for (Operation &op : function.getBody().front())
      if (op.hasAttr(kSavedAttr) && op.hasAttr(kIdAttr))
        copies.push_back(&op);
    return copies;
  }

  /// The operation of `forward` that a copy repeats; reports and returns null where there is none.
  static Operation *originalOf(Operation *copy, func::FuncOp forward,
                               const llvm::DenseMap<int64_t, Operation *> &originals) {
    auto id = copy->getAttrOfType<IntegerAttr>(kIdAttr);
    Operation *original = originals.lookup(id.getInt());
    if (!original) {
      InFlightDiagnostic error = copy->emitOpError()
                                 << "needs an operation of the forward with seq.id = " << id.getInt()
                                 << ", which seq-differentiate gives";
      error.attachNote(forward.getLoc()) << "the forward";
    }
    return original;
  }

  static void markOriginal(Operation *original, Operation *copy) {
    original->setAttr(kSavedAttr, copy->getAttr(kSavedAttr));
    original->removeAttr(kIdAttr);
  }

  LogicalResult useOriginals(func::FuncOp function) {
    SmallVector<Operation *> copies = savedCopies(function);
    auto originals = originalsOf(function);
    for (Operation *copy : copies) {
      Operation *original = originalOf(copy, function, originals);
      if (!original)
        return failure();
      copy->replaceAllUsesWith(original);
      markOriginal(original, copy);
      copy->erase();
    }
    eraseDead(function.getBody().front());
    return success();
  }

  LogicalResult splitScan(func::FuncOp forward, func::FuncOp backward) {
    ScanPair pair{scanOf(forward), scanOf(backward), forward, backward};
    if (!pair.forwardScan || !pair.backwardScan) {
      InFlightDiagnostic error = backward.emitOpError()
                                 << "needs a scan over it and one over its forward, which seq-differentiate gives";
      error.attachNote(forward.getLoc()) << "the forward";
      return error;
    }
    auto originals = originalsOf(forward);
    for (Operation *copy : savedCopies(backward)) {
      Operation *original = originalOf(copy, forward, originals);
      if (!original)
        return failure();
      copy->getResult(0).replaceAllUsesWith(pair.stack(original->getResult(0)));
      markOriginal(original, copy);
      copy->erase();
    }
    eraseDead(backward.getBody().front());
    pair.dropUnusedArguments();
    pair.dropUnusedStacks();
    eraseDead(forward.getBody().front());
    return success();
  }
};
} // namespace
