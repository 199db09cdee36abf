//===- DropUnread.cpp - what a model computes and nothing reads ---------------===//
#include "passes/entries/DropUnread.h"

#include "passes/support/Scans.h"

#include "ir/seq/SeqOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

/// The carried values that nothing reads in the end: neither what is behind the scan, nor other results of its body.
static llvm::BitVector findUnread(seq::ScanOp scan, Block &body) {
  Operation *end = body.getTerminator();
  llvm::BitVector unread(scan.getCarry().size());
  for (unsigned i = 0; i < unread.size(); ++i)
    unread[i] = scan.getResult(i).use_empty();
  llvm::DenseSet<Value> read;
  SmallVector<Value> work;
  auto addRead = [&](ValueRange values) {
    for (Value value : values)
      if (read.insert(value).second)
        work.push_back(value);
  };
  for (auto [i, value] : llvm::enumerate(end->getOperands()))
    if (i >= unread.size() || !unread[i])
      addRead(value);
  for (Operation &op : body.without_terminator())
    if (!wouldOpBeTriviallyDead(&op))
      addRead(op.getOperands());
  while (!work.empty()) {
    Value value = work.pop_back_val();
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument) {
      addRead(value.getDefiningOp()->getOperands());
    } else if (unsigned i = argument.getArgNumber(); i < unread.size() && unread[i]) {
      unread.reset(i);
      addRead(end->getOperand(i));
    }
  }
  return unread;
}

static SmallVector<Value> withoutUnread(ValueRange values, const llvm::BitVector &unread, unsigned first) {
  SmallVector<Value> rest;
  for (auto [i, value] : llvm::enumerate(values))
    if (!unread[first + i])
      rest.push_back(value);
  return rest;
}

/// Carried values that nothing reads, what only they are computed from, and slices and invariants that then have no
/// use.
static void dropUnreadOf(seq::ScanOp scan) {
  func::FuncOp body = bodyOf(scan);
  if (!llvm::hasSingleElement(*SymbolTable::getSymbolUses(body, body->getParentOp())))
    return;
  Block &block = body.getBody().front();
  unsigned slices = scan.getCarry().size(), invariants = slices + scan.getSlices().size();
  llvm::BitVector ofResults = findUnread(scan, block), unread = ofResults;
  ofResults.resize(body.getNumResults());
  block.getTerminator()->eraseOperands(ofResults);
  (void)body.eraseResults(ofResults);
  eraseDead(block);
  unread.resize(body.getNumArguments());
  for (unsigned i = slices; i < unread.size(); ++i)
    unread[i] = block.getArgument(i).use_empty();
  if (unread.none())
    return;
  (void)body.eraseArguments(unread);
  SmallVector<Value> results = withoutUnread(scan.getResults(), ofResults, 0);
  seq::ScanOp rest = rebuildScan(scan, ValueRange(results).getTypes(), withoutUnread(scan.getCarry(), unread, 0),
                                 withoutUnread(scan.getSlices(), unread, slices),
                                 withoutUnread(scan.getInvariants(), unread, invariants));
  for (auto [before, after] : llvm::zip_equal(results, rest.getResults()))
    before.replaceAllUsesWith(after);
  scan.erase();
}

void stretto::passes::dropUnread(func::FuncOp function) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
    else if (auto scan = dyn_cast<seq::ScanOp>(op))
      dropUnreadOf(scan);
}

static SmallVector<func::FuncOp> copyScanBodies(func::FuncOp function, SymbolTable &symbols) {
  SmallVector<func::FuncOp> copies;
  function.walk([&](seq::ScanOp scan) {
    auto body = symbols.lookup<func::FuncOp>(scan.getBody());
    auto copy = body.clone();
    copy.setName((body.getName() + "." + function.getName()).str());
    scan.setBody(symbols.insert(copy));
    copies.push_back(copy);
  });
  return copies;
}

/// Nothing is dropped out but in training.
static void removeDropout(func::FuncOp function) {
  function.walk([](seq::DropoutOp dropout) {
    dropout.replaceAllUsesWith(dropout.getOperand());
    dropout.erase();
  });
}

func::FuncOp stretto::passes::copyForLogits(func::FuncOp main, StringRef name) {
  SymbolTable symbols(main->getParentOp());
  func::FuncOp copy = main.clone();
  copy.setName(name);
  symbols.insert(copy);
  SmallVector<func::FuncOp> bodies = copyScanBodies(copy, symbols);
  Operation *end = copy.getBody().front().getTerminator();
  end->setOperands(end->getOperand(0));
  updateType(copy);
  llvm::for_each(bodies, removeDropout);
  removeDropout(copy);
  dropUnread(copy);
  SmallVector<func::FuncOp> scanned = scanBodiesOf(copy);
  for (func::FuncOp body : bodies)
    if (!llvm::is_contained(scanned, body))
      body.erase();
  return copy;
}

SmallVector<func::FuncOp> stretto::passes::scanBodiesOf(func::FuncOp function) {
  SmallVector<func::FuncOp> bodies;
  function.walk([&](seq::ScanOp scan) { bodies.push_back(bodyOf(scan)); });
  return bodies;
}
