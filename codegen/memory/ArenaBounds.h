//===- ArenaBounds.h - slots lie within their arenas -----------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace stretto::codegen {

/// The bytes of parameters, caches and values, which have slots, lie within the arenas of the module in each iteration,
/// and their numbers at multiples of their size. Reports the first that do not. A module that does not say how large
/// its arenas are has none to lie in.
mlir::LogicalResult checkArenaBounds(mlir::ModuleOp module);

} // namespace stretto::codegen
