//===- WalkRules.h - which walks become device code ------------------------------===//
#pragma once

#include "ir/kern/KernOps.h"

namespace stretto::codegen {

/// Tiles have at most two dimensions, those of matrices are multiples of 16, and constants have one value. Reports
/// what is not so.
mlir::LogicalResult checkWalk(kern::WalkOp op);

} // namespace stretto::codegen
