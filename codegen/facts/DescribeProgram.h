//===- DescribeProgram.h - the work and the memory of a planned module -------------===//
#pragma once

#include "codegen/scaling/StepWork.h"

#include "mlir/IR/BuiltinOps.h"

namespace stretto::codegen {

/// What a module whose memory is planned does in a step, and what it holds, as numbers that need no IR.
PlannedProgram describeProgram(mlir::ModuleOp module);

} // namespace stretto::codegen
