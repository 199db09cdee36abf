//===- Awaits.h - weights that ranks hand out while a step begins -------------===//
//
// Other ranks update most of the weights. These come bucket by bucket (`kern.buckets`), the last one first, as the
// forward reads first what becomes final last in the backward.
#pragma once

#include "ir/kern/KernOps.h"
#include "passes/support/ParameterLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto::codegen {

/// How many buckets must have come before weights are read.
class AwaitedBuckets {
public:
  explicit AwaitedBuckets(mlir::ModuleOp module);
  /// For what an operation reads in an iteration of the scan it is in; 0: no weights that are trained.
  int64_t neededBy(mlir::Operation *op, int64_t iteration, bool inBody) const;
  /// For one of these.
  int64_t neededFor(mlir::Value weight, int64_t iteration, bool inBody) const;
  int64_t count() const { return buckets.size(); }
  /// What an operation reads of weights.
  static llvm::SmallVector<mlir::Value> weightsOf(mlir::Operation *op);

private:
  static bool isWeight(mlir::Value value);

  llvm::SmallVector<kern::BucketAttr> buckets;
  int64_t rowBytes;
};

/// Places kern.await in an entry point and the bodies of its scans: in front of the first operation that reads weights
/// which nothing before has waited for, of a body in front of the first that reads weights.
void placeAwaits(mlir::func::FuncOp entry);

} // namespace stretto::codegen
