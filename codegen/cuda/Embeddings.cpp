//===- Embeddings.cpp - what the kernels of embeddings share ---------------------===//
#include "codegen/cuda/Embeddings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

Value stretto::convertReal(CudaBuilder &b, Value value, Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  Type to = withLanes(element, lanesOf(value));
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, to, value);
  return arith::TruncFOp::create(b, to, value);
}
