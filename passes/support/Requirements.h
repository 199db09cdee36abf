//===- Requirements.h - what passes need of the module that they are given ------===//
//
// Each check leaves one error at the first place that lacks something: what is missing, and what gives it.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace stretto::passes {

/// The model, `@main(%tokens) -> logits`, with or without a number for each token that is added to its loss; null where
/// there is none.
mlir::func::FuncOp requireModel(mlir::ModuleOp module);

/// An operation has an attribute of a kind, which `maker`, a pass, gives; null where it has not.
template <typename Kind>
Kind requireAttribute(mlir::Operation *op, llvm::StringRef name, llvm::StringRef maker) {
  auto attribute = op->getAttrOfType<Kind>(name);
  if (!attribute)
    op->emitOpError() << "needs the attribute " << name << ", which " << maker << " gives";
  return attribute;
}

/// The name of an entry point that `maker`, a pass, is about to add is free: a private function that has it gets
/// another one.
mlir::LogicalResult requireFreeName(mlir::ModuleOp module, llvm::StringRef name, llvm::StringRef maker);

/// No kernel of `named` has the symbol that this one becomes; adds it there.
mlir::LogicalResult requireNewKernel(mlir::Operation *op, llvm::StringRef symbol,
                                     llvm::StringMap<mlir::Operation *> &named);

} // namespace stretto::passes
