//===- Functions.h - elementwise operations of device code -----------------------===//
#pragma once

#include "codegen/cuda/CudaBuilder.h"

namespace stretto::codegen {

/// 1 / (1 + exp(-x)). In f32 the error is below 1e-7: that of exp(-x), which grows with x, meets a slope that falls
/// with exp(-|x|).
mlir::Value emitSigmoid(CudaBuilder &b, mlir::Value x);

/// f32 of bf16, numbers or vectors.
mlir::Value emitWide(CudaBuilder &b, mlir::Value x);

/// An elementwise operation of a body on `operands`, which are all scalars or all vectors of one width.
mlir::Value emitOnDevice(CudaBuilder &b, mlir::Operation *op, mlir::ValueRange operands);

} // namespace stretto::codegen
