//===- Numbering.cpp - how forward operations and their copies find each other -===//
#include "passes/AutoDiff/Numbering.h"

#include "passes/AutoDiff/Adjoints.h"
#include "passes/AutoDiff/Passes.h"
#include "passes/AutoDiff/ReadAgain.h"
#include "passes/Support/Requirements.h"

using namespace mlir;
using namespace stretto;

void stretto::numberOperations(func::FuncOp function) {
  Builder b(function.getContext());
  int64_t next = 0;
  for (Operation &op : function.getBody().front())
    if (isRepeatable(&op))
      op.setAttr(kIdAttr, b.getI64IntegerAttr(next++));
}

func::FuncOp stretto::requireForward(func::FuncOp backward, const SymbolTable &symbols) {
  auto name = backward->getAttrOfType<FlatSymbolRefAttr>(kForwardAttr);
  if (!name)
    return backward;
  auto forward = symbols.lookup<func::FuncOp>(name.getValue());
  if (!forward || forward.isDeclaration())
    backward.emitOpError() << "needs a function " << name << " as its forward, which seq-differentiate gives";
  return forward && !forward.isDeclaration() ? forward : nullptr;
}

LogicalResult stretto::requireNumberedCopies(func::FuncOp backward) {
  for (Operation &op : backward.getBody().front())
    if (isCopy(&op) && !requireAttribute<IntegerAttr>(&op, kIdAttr, "seq-differentiate"))
      return failure();
  return success();
}
