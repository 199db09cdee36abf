//===- Views.h - values that are parts of other values ------------------------===//
#pragma once

#include "ir/kern/KernOps.h"

namespace stretto::codegen {

/// Elements from one row to the next of a value once memory is planned: the columns, or those of the wider value
/// that it is a range of columns of.
int64_t rowStride(mlir::Value value);

/// Elements in front of the first column of a value in the rows that rowStride counts: of the wider value.
int64_t firstColumn(mlir::Value value);

/// Bytes from the first element of a value to its last once memory is planned, with the gaps between its rows.
int64_t spanBytes(mlir::Value value);

/// Whether the rows of a value have gaps between them: a range of columns of more than one row.
bool isRowStrided(mlir::Value value);

/// Whether an operation can read this operand where its rows have gaps.
bool acceptsRowStride(mlir::OpOperand &use);

/// Whether an operation can write this result with gaps between the rows.
bool canWriteRowStride(mlir::OpResult result);

/// The value that the result of a library operation is added to, or null.
mlir::OpOperand *accumulatorOf(mlir::Operation *op);

/// The value that a matmul is added to as it is written, or null: the result may take over its memory, row for row.
mlir::OpOperand *residualOf(mlir::Operation *op);

/// Whether the memory of `use` is looked at after its owner, or by another operand of it: through the value itself,
/// or through views of it.
bool isUsedLater(mlir::OpOperand &use);

} // namespace stretto::codegen
