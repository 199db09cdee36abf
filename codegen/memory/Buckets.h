//===- Buckets.h - gradients that ranks exchange together ---------------------===//
#pragma once

#include "ir/kern/KernOps.h"
#include "passes/support/ParameterLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto::codegen {

/// The attribute `kern.buckets` of a module.
llvm::SmallVector<kern::BucketAttr> bucketsOf(mlir::ModuleOp module);

/// Bytes of the flat gradients that become final at a time: [begin, end).
struct FinalBytes {
  int64_t begin, end;
  int64_t time;
  bool operator==(const FinalBytes &) const = default;
};

/// Rows of the flat gradients [first, end) that are final at a time.
struct FinalRows {
  int64_t first, end;
  int64_t time;
  bool operator==(const FinalRows &) const = default;
};

/// Cuts the flat gradients, of `bytes`, into buckets of at least `leastBytes` where they have so many. What becomes
/// final at one time stays together, and the smallest bucket joins the neighbour whose time is next to its own. Bytes
/// that nothing writes go with their neighbour. A row that two buckets share is in the later one. In the order of time.
llvm::SmallVector<FinalRows> cutIntoBuckets(llvm::SmallVector<FinalBytes> finals, int64_t bytes, int64_t rowBytes,
                                            int64_t leastBytes);

/// One run of a kern.ready of an entry point, in the order in which they run.
struct ReadyRun {
  kern::ReadyOp op;
  int64_t iteration;                       // 0 outside of scans
  double flops;                            // of matmuls and attention that ran before
  llvm::SmallVector<FinalBytes> gradients; // their time is the number of this run
};
struct ReadyRuns {
  llvm::SmallVector<ReadyRun> runs;
  double flops = 0, flopsForward = 0; // of the whole entry point, and of its forward direction
};
ReadyRuns readyRuns(mlir::func::FuncOp entry, const passes::ParameterLayout &layout);

} // namespace stretto::codegen
