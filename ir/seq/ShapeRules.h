//===- ShapeRules.h - shape rules that operations have in common --------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

/// Each reports at the operation what was expected and what was found.
namespace stretto::seq {

/// Operands of one type; the result has it too, or is f32 where they are bf16.
mlir::LogicalResult sameElements(mlir::Operation *op, mlir::RankedTensorType a, mlir::RankedTensorType b,
                                 mlir::RankedTensorType result);
/// Sums beside activations that may be bf16 have their type, or f32.
mlir::LogicalResult wideElements(mlir::Operation *op, llvm::StringRef what, mlir::RankedTensorType type,
                                 mlir::RankedTensorType activation);
mlir::LogicalResult haveShape(mlir::Operation *op, llvm::StringRef what, mlir::RankedTensorType type,
                              llvm::ArrayRef<int64_t> shape);
mlir::LogicalResult haveType(mlir::Operation *op, llvm::StringRef what, mlir::RankedTensorType type,
                             mlir::RankedTensorType expected);

/// Queries have `heads` and keys `kvHeads` heads of one width.
mlir::LogicalResult verifyHeads(mlir::Operation *op, mlir::RankedTensorType q, mlir::RankedTensorType k, int64_t heads,
                                int64_t kvHeads);
/// A number, where there is one, is above 0 and finite.
mlir::LogicalResult isPositive(mlir::Operation *op, llvm::StringRef name, const std::optional<llvm::APFloat> &number);
/// Sinks of attention, null where there are none, are a number for each head.
mlir::LogicalResult verifySinks(mlir::Operation *op, mlir::Value sinks, mlir::RankedTensorType q, int64_t heads);
/// What scores of attention get by distance, null for nothing, is a number for each head and distance, never bf16.
mlir::LogicalResult verifyBias(mlir::Operation *op, mlir::Value bias, mlir::RankedTensorType q, int64_t heads);
/// What scores of attention lose from token to token, null where they lose nothing, has a shape and is never bf16.
mlir::LogicalResult verifyDecay(mlir::Operation *op, mlir::Value decay, mlir::RankedTensorType q,
                                llvm::ArrayRef<int64_t> shape);

} // namespace stretto::seq
