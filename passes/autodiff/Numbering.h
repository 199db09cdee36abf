//===- Numbering.h - how forward operations and their copies find each other ---===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto::passes {
/// Numbers the repeatable operations of a forward (attribute `seq.id`).
void numberOperations(mlir::func::FuncOp function);

/// The function with the forward of a backward, itself where it holds both; reports one that is missing and returns
/// null.
mlir::func::FuncOp requireForward(mlir::func::FuncOp backward, const mlir::SymbolTable &symbols);

/// Every operation of a backward that repeats one of the forward says which.
mlir::LogicalResult requireNumberedCopies(mlir::func::FuncOp backward);
} // namespace stretto::passes
