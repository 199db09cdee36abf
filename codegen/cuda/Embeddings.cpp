//===- Embeddings.cpp - what the kernels of embeddings share ---------------------===//
#include "codegen/cuda/Embeddings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace stretto;

void stretto::nameEmbeddings(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    int64_t number = 0;
    function.walk([&](Operation *op) {
      if (isa<seq::EmbedOp, seq::EmbedGradOp>(op))
        op->setAttr("kern.kernel", StringAttr::get(op->getContext(), function.getName() + ".embed" + Twine(number++)));
    });
  }
}

int64_t stretto::rowLanes(int64_t width, int64_t bytes) {
  int64_t lanes = 16 / bytes;
  while (width % lanes != 0)
    lanes /= 2;
  return lanes;
}
