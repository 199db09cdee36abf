//===- StoredBytes.h - what values take in memory -----------------------------===//
#pragma once

#include "mlir/IR/Value.h"

namespace stretto::passes {

/// Bytes that a value takes where it is passed from one kernel or matmul to another. Before kern-round-activations
/// types say f32 where memory will hold bf16: rows of columns, three dimensions or more, are counted in the type of
/// activations (`seq.activation_type`), but for statistics and states, which library operations never round. The value
/// must stand in a module.
int64_t storedBytes(mlir::Value value);

} // namespace stretto::passes
