//===- Sites.h - what calls write, and what that is in the source --------------===//
#pragma once

#include "ir/kern/KernOps.h"

#include <string>
#include <vector>

namespace stretto::codegen {

/// The runs of contiguous memory a value consists of: entries of a stack, or rows where columns lie between them; else
/// one.
struct Runs {
  int64_t count, stride; // stride in bytes
};
/// `user`: the operation that reads or writes the value; inside of a scan body it sees one entry of a stack.
Runs runsOf(mlir::Value value, mlir::Operation *user);

/// The stretto_dtype of the elements of a tensor.
int32_t dtypeOf(mlir::Type type);

/// See stretto_result.
struct SiteResult {
  std::string operation, location, kernel;
  int32_t buffer, weight, arena, dtype;
  int64_t rows, rowBytes, stride;
  llvm::SmallVector<int64_t, 4> shape;
};
using Site = std::vector<SiteResult>;

/// The tensors of reals that the call made from `op` writes. `buffers`: what lies in the buffers of the call, by their
/// numbers.
Site describeSite(mlir::Operation *op, llvm::ArrayRef<mlir::Value> buffers);

} // namespace stretto::codegen
