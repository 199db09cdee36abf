//===- Epilogues.h - kernels of rows in the epilogue of a matmul ---------------===//
#pragma once

#include "codegen/rows/Strips.h"
#include "ir/kern/KernOps.h"

namespace stretto::codegen {

/// Marks the matmul and the kernel that become one kern.matmul.
inline constexpr llvm::StringLiteral epilogueAttr = "kern.epilogue";

/// How a matmul that can have an epilogue reads its weight; nothing for other operations.
std::optional<kern::WeightForm> weightFormOf(mlir::Operation *op);

/// The argument of a kernel that is the row of a value; nothing where it reads the value in another way too, or not.
std::optional<unsigned> rowArgumentOf(kern::RowwiseOp kernel, mlir::Value value);

/// Which strips suit a matmul with an epilogue: their columns; tokens of a sequence; strips of a row; terms of a sum,
/// below which a strip is multiplied so fast that what an item costs besides is more than what does not move.
struct EpilogueLimits {
  int64_t wantedColumns, mostColumns, leastRows, leastStrips, leastDepth;

  /// The same for all matmuls that can have an epilogue, whether it pays or not.
  EpilogueLimits wherePossible() const { return {wantedColumns, mostColumns, leastRows, 1, 1}; }
};

/// Why a kernel cannot be the epilogue of the matmul that gives its argument; empty: it can.
std::string refuseEpilogue(kern::RowwiseOp kernel, unsigned argument, const EpilogueLimits &limits);

} // namespace stretto::codegen
