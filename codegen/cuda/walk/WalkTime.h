//===- WalkTime.h - how long a walk is likely to take ----------------------------===//
#pragma once

#include "ir/kern/KernOps.h"

namespace stretto::codegen {

/// Microseconds that a walk takes on a GPU with so many multiprocessors, roughly: to compare ways to cut a mixer.
double estimateWalk(kern::WalkOp walk, int64_t processors);

} // namespace stretto::codegen
