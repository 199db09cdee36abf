//===- WalkRules.h - which walks become device code, and which as loops -------------===//
#pragma once

#include "ir/kern/KernOps.h"

namespace stretto::codegen {

/// Tiles have at most two dimensions, those of matrices are multiples of 16, and constants have one value. Reports
/// what is not so.
mlir::LogicalResult checkWalk(kern::WalkOp op);

/// Whether code that need not stand once for each part of a tile is a loop: where a walk solves systems with a decay
/// for each channel. It scales tiles for each level of two kinds of pairs, and its code would take long to assemble.
bool isRolled(kern::WalkOp op);

} // namespace stretto::codegen
