//===- TensorBytes.h - bytes of tensors and of their numbers ------------------===//
#pragma once

#include "ir/seq/TensorShape.h"

#include "mlir/IR/TypeUtilities.h"

namespace stretto {

/// Bytes of one number of a tensor or vector; 0 for booleans.
inline int64_t elementBytes(mlir::Type type) { return mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8; }
inline int64_t elementBytes(mlir::Value value) { return elementBytes(value.getType()); }

/// Bytes of the last dimension.
inline int64_t rowBytes(mlir::Value value) { return columnsOf(value) * elementBytes(value); }

/// Bytes of a whole tensor, without padding; eight booleans lie in a byte.
inline int64_t bytesOf(mlir::Type type) {
  auto tensor = mlir::cast<mlir::RankedTensorType>(type);
  return tensor.getNumElements() * tensor.getElementTypeBitWidth() / 8;
}
inline int64_t bytesOf(mlir::Value value) { return bytesOf(value.getType()); }

} // namespace stretto
