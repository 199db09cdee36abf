//===- TensorShape.h - sizes of tensor values ---------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace stretto {

/// The type of a value that is a tensor.
inline mlir::RankedTensorType typeOf(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }

inline int64_t elementsOf(mlir::Value value) { return typeOf(value).getNumElements(); }

/// The last dimension; 1 for a number.
inline int64_t columnsOf(mlir::Value value) { return typeOf(value).getRank() ? typeOf(value).getShape().back() : 1; }

/// All dimensions but the last, as one.
inline int64_t rowsOf(mlir::Value value) { return elementsOf(value) / std::max<int64_t>(columnsOf(value), 1); }

} // namespace stretto
