//===- WalkMasks.h - walks that leave out one of their choices -----------------===//
#pragma once

#include "RowInterpreter.h"

#include "ir/kern/KernOps.h"

namespace stretto::test {

/// Lets a walk leave out one of its choices (arith.select), as an operand says that is added here: the first of the two
/// values is always taken, or the second. So one kernel has all faults. Returns how many faults there are.
int64_t addFaults(kern::WalkOp walk);

/// What a fault leaves out.
std::string nameOfFault(int64_t fault);

/// Changes what such a walk reads so that it has the fault. (As drawn, numbers are too small to name any.)
void chooseFault(kern::WalkOp walk, std::vector<Numbers> &inputs, int64_t fault);

} // namespace stretto::test
