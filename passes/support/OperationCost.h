//===- OperationCost.h - how long operations on elements take -----------------===//
#pragma once

namespace mlir {
class Operation;
}

namespace stretto::passes {

/// Cycles of a vector of elements, roughly those of current x86: 0 for what only moves elements, 1 for an addition, a
/// comparison, a multiply-add.
double cyclesOf(mlir::Operation *op);

/// The same for all elements of an operation on tensors: additions that take as long.
double costOfOperation(mlir::Operation *op);

} // namespace stretto::passes
