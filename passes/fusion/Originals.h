//===- Originals.h - what recomputed operations compute again -----------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace stretto::passes {

/// The operations of a function that are recomputed (`seq.recomputed`), each with one of the forward that computes the
/// same of the same values; those that have none are not there.
llvm::DenseMap<mlir::Operation *, mlir::Operation *> findOriginals(mlir::func::FuncOp function);

} // namespace stretto::passes
