//===- Describe.h - how remarks name operations ---------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace stretto::passes {

/// What the source calls an operation, and its line: "rms_norm at line 5", "rms_norm at mlp.stretto:5" where the file
/// is not that of `near`, "the gradient of ..." where it belongs to one.
std::string describe(mlir::Operation *op, mlir::Location near);

/// The same, whether or not it belongs to a gradient.
std::string describeSource(mlir::Operation *op, mlir::Location near);

/// What the source calls operations, by line: "6 rms_norm, 9 add mul, mlp.stretto:5 linear".
std::string namesOf(llvm::ArrayRef<mlir::Operation *> ops, mlir::Location near);

/// The lines alone: "6, 9, mlp.stretto:5".
std::string linesOf(llvm::ArrayRef<mlir::Operation *> ops, mlir::Location near);

} // namespace stretto::passes
