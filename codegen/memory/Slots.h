//===- Slots.h - every value has a slot ------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace stretto::codegen {

/// Parameters, caches and the values of all functions have the slots that kern-plan-memory gives; reports the first
/// one that has none.
mlir::LogicalResult requireSlots(mlir::ModuleOp module);

} // namespace stretto::codegen
