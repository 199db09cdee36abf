// Elaborated program -> `seq` module.
#ifndef STRETTO_FRONTEND_BUILD_BUILDMODULE_H
#define STRETTO_FRONTEND_BUILD_BUILDMODULE_H

#include "frontend/sema/Program.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace stretto::frontend {

/// Emits every function of the program. The dialects must be loaded.
mlir::OwningOpRef<mlir::ModuleOp> buildModule(mlir::MLIRContext &context, const Program &program,
                                              const SourceFiles &sources, mlir::Type elementType);

} // namespace stretto::frontend

#endif
