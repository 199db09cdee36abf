//===- ParameterTrace.h - values made of weights, and their gradients ---------===//
#pragma once

#include "codegen/memory/Timeline.h"

#include "llvm/ADT/SetVector.h"

namespace stretto::codegen {

/// Names of parameters, in the order in which they were met.
using ParameterSet = llvm::SmallSetVector<mlir::StringAttr, 2>;

/// For the values of an entry point and of the bodies that it scans: the parameters that a weight shows or is computed
/// from, and those that a gradient of a weight is, or becomes a part of. Either goes through slices and carried values
/// of scans, views, packed forms, sums and kernels of weights alone; what a matmul makes is neither.
class ParameterTrace {
public:
  explicit ParameterTrace(const Timeline &timeline);
  /// Of an activation: none.
  ParameterSet ofWeight(mlir::Value value) const { return weights.lookup(value); }
  /// Of a value that takes part in other values than gradients of weights: none.
  ParameterSet ofGradient(mlir::Value value) const { return gradients.lookup(value); }

private:
  using Known = llvm::DenseMap<mlir::Value, ParameterSet>;
  ParameterSet madeOf(mlir::Operation *op);
  void traceWeights(mlir::func::FuncOp function, seq::ScanOp caller);
  void traceGradients(mlir::func::FuncOp function, seq::ScanOp caller);

  Known weights, gradients;
  llvm::DenseSet<mlir::Value> numbers; // known ones, which belong to no parameter
};

} // namespace stretto::codegen
