//===- StoredBytes.cpp - what values take in memory -----------------------===//
#include "passes/support/StoredBytes.h"

#include "ir/seq/ActivationType.h"
#include "ir/seq/SeqOps.h"

using namespace mlir;
using namespace stretto;

/// Whether a library operation says that it gives the value as it is computed.
static bool isNeverRounded(Value value) {
  auto result = dyn_cast<OpResult>(value);
  auto library = result ? dyn_cast<seq::LibraryOp>(result.getOwner()) : nullptr;
  return library && library.getResultFacts(result.getResultNumber()).rounding == seq::Rounding::never;
}

int64_t stretto::passes::storedBytes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  unsigned bits = type.getElementTypeBitWidth();
  if (type.getRank() >= 3 && isa<FloatType>(type.getElementType()) && !isNeverRounded(value))
    if (Type rounded = roundedActivationType(value.getParentRegion()->getParentOfType<ModuleOp>()))
      bits = std::min(bits, rounded.getIntOrFloatBitWidth());
  return type.getNumElements() * llvm::divideCeil(bits, 8);
}
