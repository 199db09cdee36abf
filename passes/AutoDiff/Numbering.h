//===- Numbering.h - how forward operations and their copies find each other ---===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto {
/// Numbers the repeatable operations of a forward (attribute `seq.id`).
void numberOperations(mlir::func::FuncOp function);
} // namespace stretto
