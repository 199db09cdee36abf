//===- InlineLoops.h - loops of blocks as loops of the model --------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace stretto::codegen {

/// Puts functions that loop in the place of their calls. Weights of layers are stacked in the model alone, which then
/// passes each layer its own.
void inlineLoops(mlir::ModuleOp module);

} // namespace stretto::codegen
