//===- Places.h - every value has a place ------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace stretto::codegen {

/// Parameters, caches and the values of all functions have the places that kern-plan-memory gives; reports the first
/// one that has none.
mlir::LogicalResult requirePlaces(mlir::ModuleOp module);

} // namespace stretto::codegen
