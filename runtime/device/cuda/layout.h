// How a row-major matmul is told to a library that is column-major. No CUDA in here.
#pragma once

#include "runtime/core/op.h"

#include <array>

namespace stretto::runtime {

// A column-major matrix as it lies in memory.
struct ColumnMajor {
  int64_t rows = 0, columns = 0, stride = 0; // stride: from column to column, in elements
};

// result = op(first) op(second) + residual, where `first` is B of the row-major matmul, `second` is A, and the result
// is C: a row-major matrix read as column-major is its transpose, and C' = op(B)' op(A)'. Without D the residual is the
// result's own memory.
struct ColumnMajorMatmul {
  bool transposeFirst = false, transposeSecond = false;
  ColumnMajor first, second, result, residual;
};
ColumnMajorMatmul columnMajor(const MatmulOp &op);

// All that decides which algorithm computes a matmul: sizes, strides, types, and how addresses are aligned. Alignment
// counts up to 16 bytes, the widest access there is, so that equal matmuls of different layers share one plan.
using MatmulKey = std::array<int64_t, 17>;
MatmulKey keyOf(const MatmulOp &op);

} // namespace stretto::runtime
