//===- Resources.cpp - what kernels take of a GPU, noted in the IR --------===//
#include "ir/kern/Resources.h"

using namespace mlir;
using namespace stretto;

static StringRef attributeOf(Operation *op) {
  return isa<kern::RowwiseOp, kern::SumPartialsOp>(op) ? "resources" : "kern.resources";
}

void kern::setResources(Operation *op, ResourcesAttr resources) { op->setAttr(attributeOf(op), resources); }

void kern::dropResources(Operation *root) {
  root->walk([](Operation *op) { op->removeAttr(attributeOf(op)); });
}
