// Elaborated program -> `seq` module.
#pragma once

#include "frontend/sema/Program.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace stretto::frontend {

/// Emits every function of the program. The dialects must be loaded.
mlir::OwningOpRef<mlir::ModuleOp> buildModule(mlir::MLIRContext &context, const Program &program,
                                              const SourceFiles &sources, mlir::Type elementType);

} // namespace stretto::frontend
