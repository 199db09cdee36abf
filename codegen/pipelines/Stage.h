//===- Stage.h - how far a module has come ------------------------------------===//
#pragma once

#include "codegen/pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace stretto::codegen {

/// The last phase that a module has gone through, by what each leaves behind; nothing where it has gone through none.
std::optional<Phase> phaseOf(mlir::ModuleOp module);

/// The name of that phase; that of the front end's stage, `seq`, for none.
llvm::StringRef stageName(std::optional<Phase> phase);

/// The first operation that shows a module to be in the middle of a phase, whose passes have not all run; null at its
/// end.
mlir::Operation *findUnfinished(mlir::ModuleOp module);

/// Whether there is a model at all: @main as the front end makes it, or what a phase makes of it.
bool holdsModel(mlir::ModuleOp module);

} // namespace stretto::codegen
