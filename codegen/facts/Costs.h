//===- Costs.h - what operations cost -----------------------------------------===//
#pragma once

#include "ir/kern/KernOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto::codegen {

/// Work of one run of an operation.
struct Cost {
  double flops = 0;  // matmuls and attention as 2*m*n*k; for kernels one for each arithmetic operation on an element
  int64_t bytes = 0; // read and written, each operand and result counted once

  Cost &operator+=(const Cost &other) {
    flops += other.flops;
    bytes += other.bytes;
    return *this;
  }
};

/// The cost of an operation of an entry point or scan body; views, constants and scans cost nothing themselves.
Cost costOf(mlir::Operation *op);

/// Whether an operation is a matmul or attention, of the forward or of the backward direction.
seq::MatmulKind matmulKind(mlir::Operation *op);
/// Multiplications and additions of its matmuls alone.
double matmulFlops(mlir::Operation *op);

/// Rows of the flat arenas in the smallest range on which a kernel of the optimizer can be launched: of one that reads
/// and writes rows of one sequence, each from its own. Others: 0.
int64_t chunkRowsOf(mlir::Operation *op, mlir::func::FuncOp entry);

} // namespace stretto::codegen
