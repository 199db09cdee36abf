//===- ReadyCheck.h - buckets are final when a program says so ----------------===//
#pragma once

#include "codegen/memory/Awaits.h"
#include "codegen/memory/Buckets.h"

#include <map>

namespace stretto::codegen {

/// Follows the kern.ready and kern.await operations of an entry point as it runs.
class ReadyCheck {
public:
  ReadyCheck(mlir::ModuleOp module, mlir::func::FuncOp entry);

  /// A run of `op`; reports gradients that were final before, and buckets that are not yet.
  mlir::LogicalResult run(kern::ReadyOp op, int64_t iteration, bool inBody);
  /// A run of `op`; reports a number of buckets that there are not.
  mlir::LogicalResult run(kern::AwaitOp op, int64_t iteration, bool inBody);
  /// A run of any operation; reports one that reads weights which nothing has waited for, where the entry point waits.
  mlir::LogicalResult checkReads(mlir::Operation *op, int64_t iteration, bool inBody);
  /// The end of the entry point; reports gradients that were never said to be final.
  mlir::LogicalResult finish();

private:
  struct Open {
    mlir::StringAttr parameter;
    FinalBytes bytes;
  };

  /// The gradient of a parameter is final, of a layer in a body; reports one that was before, or that there is not.
  mlir::LogicalResult close(kern::ReadyOp op, mlir::FlatSymbolRefAttr name, int64_t iteration, bool inBody);
  /// Buckets are final, as many as `op` says of its run `number`; reports those that are not.
  mlir::LogicalResult tell(kern::ReadyOp op, int64_t number);

  mlir::func::FuncOp entry;
  passes::ParameterLayout layout;
  llvm::SmallVector<kern::BucketAttr> buckets;
  llvm::DenseMap<mlir::StringAttr, size_t> numbers; // of parameters, in the order of their gradients
  /// Gradients that are not final yet, by the numbers of their parameters and of their entries, which is their time.
  std::map<std::pair<size_t, int64_t>, Open> open;
  int64_t told = 0, come = 0;
  bool isTold = false; // whether the entry point says anything
  AwaitedBuckets awaited;
  bool waits = false; // whether the entry point waits for weights
};

} // namespace stretto::codegen
