//===- Scans.cpp - scans and the functions that are their bodies --------------===//
#include "passes/support/Scans.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace stretto;

func::FuncOp passes::bodyOf(seq::ScanOp scan) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(scan, scan.getBodyAttr());
}

llvm::DenseMap<Operation *, seq::ScanOp> passes::scansByBody(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::DenseMap<Operation *, seq::ScanOp> scans;
  module.walk([&](seq::ScanOp scan) { scans[symbols.lookup(scan.getBody())] = scan; });
  return scans;
}

seq::ScanOp passes::scanOf(func::FuncOp body) {
  seq::ScanOp found;
  body->getParentOfType<ModuleOp>().walk([&](seq::ScanOp scan) {
    if (scan.getBody() == body.getName())
      found = scan;
  });
  return found;
}

RankedTensorType passes::stackType(seq::ScanOp scan, Type ofOne) {
  auto type = cast<RankedTensorType>(ofOne);
  SmallVector<int64_t> shape{static_cast<int64_t>(scan.getTrips())};
  llvm::append_range(shape, type.getShape());
  return type.clone(shape);
}

seq::ScanOp passes::rebuildScan(seq::ScanOp scan, TypeRange results, ValueRange carry, ValueRange slices,
                                ValueRange invariants) {
  OpBuilder b(scan);
  auto rebuilt = seq::ScanOp::create(b, scan.getLoc(), results, scan.getBody(), scan.getTrips(), scan.getReverse(),
                                     carry, slices, invariants);
  rebuilt->setDiscardableAttrs(scan->getDiscardableAttrDictionary());
  return rebuilt;
}

BlockArgument passes::addArgument(func::FuncOp function, unsigned number, Type type, Location loc,
                                  DictionaryAttr attributes) {
  bool isInserted = succeeded(function.insertArgument(number, type, attributes, loc));
  (void)isInserted;
  assert(isInserted && "entries and bodies of scans may get arguments");
  return function.getArgument(number);
}

void passes::eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void passes::updateType(func::FuncOp function) {
  Block &block = function.getBody().front();
  function.setFunctionType(
      FunctionType::get(function.getContext(), block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
}
