//===- ControlFlow.h - loops and branches of device code ------------------------===//
#pragma once

#include "codegen/cuda/CudaBuilder.h"

namespace stretto::codegen {

using Values = llvm::SmallVector<mlir::Value>;

/// for (i = begin; i < end; i += step) carried = body(i, carried); returns what is carried in the end.
Values forEach(CudaBuilder &b, mlir::Value begin, mlir::Value end, int64_t step, mlir::ValueRange carried,
               llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);

/// The same where code of the body is to stand once: no compiler unrolls it.
Values forEachRolled(CudaBuilder &b, mlir::Value begin, mlir::Value end, int64_t step, mlir::ValueRange carried,
                     llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);

/// while (condition(carried)) carried = body(carried).
Values whileHolds(CudaBuilder &b, mlir::ValueRange carried, llvm::function_ref<mlir::Value(mlir::ValueRange)> condition,
                  llvm::function_ref<Values(mlir::ValueRange)> body);

/// do carried = body(carried), the last of which is a condition that is not carried; while it holds.
void repeatWhile(CudaBuilder &b, mlir::ValueRange carried, llvm::function_ref<Values(mlir::ValueRange)> body);

/// condition ? body() : otherwise, where only one side runs.
Values branch(CudaBuilder &b, mlir::Value condition, mlir::ValueRange otherwise, llvm::function_ref<Values()> body);

/// Either side, both without values.
void branch(CudaBuilder &b, mlir::Value condition, llvm::function_ref<void()> body,
            llvm::function_ref<void()> otherwise);

} // namespace stretto::codegen
