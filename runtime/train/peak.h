// The rate of floating point operations that this machine reaches, as a yardstick for MFU.
#pragma once

#include "runtime/core/device.h"

namespace stretto {

// Operations per second of the best of a few large matrix products of that type.
double measurePeak(Device &device, int32_t dtype);

} // namespace stretto
