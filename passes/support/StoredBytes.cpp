//===- StoredBytes.cpp - what values take in memory -----------------------===//
#include "passes/support/StoredBytes.h"

#include "ir/seq/ActivationType.h"

using namespace mlir;

int64_t stretto::passes::storedBytes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  unsigned bits = type.getElementTypeBitWidth();
  if (type.getRank() >= 3 && isa<FloatType>(type.getElementType()))
    if (Type rounded = roundedActivationType(value.getParentRegion()->getParentOfType<ModuleOp>()))
      bits = std::min(bits, rounded.getIntOrFloatBitWidth());
  return type.getNumElements() * llvm::divideCeil(bits, 8);
}
