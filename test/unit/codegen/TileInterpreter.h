//===- TileInterpreter.h - what a kern.walk means, slowly ----------------------===//
//
// Chunk by chunk, operation by operation, in double precision, straight from the meaning of each operation; nothing is
// rounded, to bf16 neither. Shares nothing with the code generator.
#pragma once

#include "RowInterpreter.h"

namespace stretto::test {

/// Results of a walk for operands in row-major order.
std::vector<Numbers> interpretWalk(kern::WalkOp op, const std::vector<Numbers> &operands, Reals reals);

} // namespace stretto::test
