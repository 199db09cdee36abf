//===- SumBlocks.h - adding up what several programs have parts of --------------===//
#pragma once

#include "ir/kern/KernOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace stretto::codegen {

/// The results of a walk as values of `types`, [batch, time, columns]: where a result has several times as many, as
/// many neighbouring ones of its `programs` are added up in order, by one kern.rowwise for all such results.
llvm::SmallVector<mlir::Value> sumBlocks(mlir::ImplicitLocOpBuilder &b, kern::WalkOp walk, mlir::TypeRange types,
                                         int64_t programs);

} // namespace stretto::codegen
