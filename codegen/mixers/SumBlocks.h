//===- SumBlocks.h - adding up what several programs have parts of --------------===//
#pragma once

#include "ir/kern/KernOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace stretto::codegen {

/// The results of a walk as values of `types`, [batch, time, heads * width]: where a result has `blocks` times as many
/// columns, the blocks of each head are added up in order, by one kern.rowwise for all such results.
llvm::SmallVector<mlir::Value> sumBlocks(mlir::ImplicitLocOpBuilder &b, kern::WalkOp walk, mlir::TypeRange types,
                                         int64_t heads);

} // namespace stretto::codegen
