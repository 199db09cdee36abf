//===- Numbering.cpp - how forward operations and their copies find each other -===//
#include "passes/autodiff/Numbering.h"

#include "passes/autodiff/Adjoints.h"
#include "passes/autodiff/Passes.h"
#include "passes/autodiff/ReadAgain.h"
#include "passes/support/Requirements.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

void stretto::passes::numberOperations(func::FuncOp function) {
  Builder b(function.getContext());
  int64_t next = 0;
  for (Operation &op : function.getBody().front())
    if (isRepeatable(&op))
      op.setAttr(kIdAttr, b.getI64IntegerAttr(next++));
}

func::FuncOp stretto::passes::requireForward(func::FuncOp backward, const SymbolTable &symbols) {
  auto name = backward->getAttrOfType<FlatSymbolRefAttr>(kForwardAttr);
  if (!name)
    return backward;
  auto forward = symbols.lookup<func::FuncOp>(name.getValue());
  if (forward && !forward.isDeclaration())
    return forward;
  InFlightDiagnostic error = backward.emitOpError()
                             << "needs a function " << name << " as its forward, which seq-differentiate gives";
  if (forward)
    error.attachNote(forward.getLoc()) << "declared here without a body";
  return nullptr;
}

LogicalResult stretto::passes::requireNumberedCopies(func::FuncOp backward) {
  for (Operation &op : backward.getBody().front())
    if (isCopy(&op) && !requireAttribute<IntegerAttr>(&op, kIdAttr, "seq-differentiate"))
      return failure();
  return success();
}
