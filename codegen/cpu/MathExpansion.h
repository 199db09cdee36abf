//===- MathExpansion.h - functions of math as arithmetic -----------------------===//
#pragma once

#include "codegen/target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace stretto::codegen {

/// Replaces the single-precision functions of `math` in `module` by polynomials, so that vectors stay vectors and no
/// function of libm is called. Double precision stays: the code generator calls libm for each lane.
void expandMath(mlir::ModuleOp module, const Target &target);

/// 1 / (1 + e^-x) for a scalar or a vector. In single precision x is kept within [-87, 87] and the relative error is
/// 2e-7.
mlir::Value buildSigmoid(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

} // namespace stretto::codegen
