//===- StepTime.h - how long a device works on a step, estimated ------------------===//
//
// Each operation takes the longest of: its arithmetic, its bytes, the least that a kernel takes; then comes the gap to
// the next. Nothing overlaps.
#pragma once

#include "codegen/scaling/Devices.h"
#include "codegen/scaling/StepWork.h"

namespace stretto::codegen {

/// Seconds that a device takes for some operations, one after the other.
double secondsOf(const std::vector<Work> &work, const Device &device);

/// Seconds in which a kernel reads and writes so many bytes.
double secondsToMove(double bytes, const Device &device);

} // namespace stretto::codegen
