//===- EmitPyTorch.h - a model as PyTorch source --------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/raw_ostream.h"

namespace stretto::codegen {

/// Writes one Python module that holds the model of a module in the `seq` stage (as the front end makes it): a class
/// whose state_dict() has exactly our parameter names, a function for each block, and `load_stretto(path)`, which
/// reads our checkpoints. Variables are called what the spec calls them. The text works for any batch and length.
///
/// Fails with an error at the operation that has no PyTorch form.
llvm::LogicalResult emitPyTorch(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace stretto::codegen
