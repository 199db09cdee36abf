//===- Slots.h - where the values of a planned module lie ---------------------------===//
//
// `kern-plan-memory` writes a slot on each parameter and cache, on the arguments of functions and on the results of
// entry points as `kern.slot`, and those of the results of an operation as the list `kern.slots`.
#pragma once

#include "ir/kern/KernOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto::kern {

inline constexpr llvm::StringLiteral slotAttr = "kern.slot", slotsAttr = "kern.slots";

/// The slot of an argument of a function, or of a result of an operation, in a planned module.
SlotAttr slotOf(mlir::Value value);

// Of others; null where there is none yet.
SlotAttr slotOfSymbol(mlir::Operation *parameterOrCache);
SlotAttr slotOfArgument(mlir::func::FuncOp function, unsigned number);
SlotAttr slotOfResult(mlir::func::FuncOp entry, unsigned number);

} // namespace stretto::kern
