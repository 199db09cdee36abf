//===- BytesMoved.h - what a kernel takes from memory and brings back -----------===//
#pragma once

#include "ir/kern/KernInterfaces.h"

namespace stretto::codegen {

/// Bytes that a launch reads and writes: of each operand the columns that the body looks at, once; each result once.
int64_t bytesMoved(kern::RowKernel op);

/// Bytes that it reads of a value, which may be several of its operands.
int64_t bytesReadOf(kern::RowKernel op, mlir::Value value);

/// Bytes of both operands of a matmul.
int64_t bytesOfOperands(mlir::Operation *matmul);

} // namespace stretto::codegen
