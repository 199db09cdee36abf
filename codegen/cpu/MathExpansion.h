//===- MathExpansion.h - functions of math as arithmetic -----------------------===//
#pragma once

#include "codegen/target/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace stretto {

/// Replaces the single-precision functions of `math` in `module` by polynomials, so that vectors stay vectors and no
/// function of libm is called. Double precision stays: the code generator calls libm for each lane.
void expandMath(mlir::ModuleOp module, const Target &target);

} // namespace stretto
