//===- DropUnread.h - what a model computes and nothing reads -----------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto::passes {

/// Removes what no result of a function needs, also from the bodies of its scans that nothing else calls: values that
/// they carry from one iteration to the next for nothing.
void dropUnread(mlir::func::FuncOp function);

/// A copy of `main` under a name that is free, in its module: of its results it returns the logits alone, and computes
/// nothing that only the others need, and nothing is dropped out. The bodies of its scans are its own, `<body>.<name>`.
mlir::func::FuncOp copyForLogits(mlir::func::FuncOp main, llvm::StringRef name);

/// The bodies of the scans of a function.
llvm::SmallVector<mlir::func::FuncOp> scanBodiesOf(mlir::func::FuncOp function);

} // namespace stretto::passes
