//===- Kernels.cpp - what is computed by a kernel, and by which -----------===//
#include "ir/kern/Kernels.h"

using namespace mlir;
using namespace stretto;

static constexpr llvm::StringLiteral resourcesAttr = "kern.resources";

bool kern::isKernel(Operation *op) { return isa<KernelOp>(op) || op->hasAttr(kernelAttr); }

StringAttr kern::kernelNameOf(Operation *op) {
  auto kernel = dyn_cast<KernelOp>(op);
  return kernel ? kernel.getKernelAttr() : op->getAttrOfType<StringAttr>(kernelAttr);
}

void kern::setKernelName(Operation *op, const Twine &name) {
  auto attr = StringAttr::get(op->getContext(), name);
  if (auto kernel = dyn_cast<KernelOp>(op))
    kernel.setKernelAttr(attr);
  else
    op->setAttr(kernelAttr, attr);
}

void kern::setResources(Operation *op, ResourcesAttr resources) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    kernel.setResourcesAttr(resources);
  else
    op->setAttr(resourcesAttr, resources);
}

void kern::dropResources(Operation *root) {
  root->walk([](Operation *op) {
    if (auto kernel = dyn_cast<KernelOp>(op))
      kernel.setResourcesAttr({});
    else
      op->removeAttr(resourcesAttr);
  });
}
