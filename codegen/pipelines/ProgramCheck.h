//===- ProgramCheck.h - whether a module is what a program is made of ---------===//
#pragma once

#include "codegen/pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace stretto::codegen {

/// Reports what in a module that may have been edited contradicts what programs bind by names and places: the numbers
/// of tokens that it states, its entry points with their names, arguments and results, several gradients of a
/// parameter, the bytes of parameters, and where gradients begin. `phase`: the last one that it has gone
/// through; nothing for none.
mlir::LogicalResult checkProgram(mlir::ModuleOp module, std::optional<Phase> phase);

} // namespace stretto::codegen
