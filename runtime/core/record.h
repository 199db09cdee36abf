// What a program will ask of a device, found out by letting its entry points run on one that does nothing.
#pragma once

#include "runtime/core/device.h"

namespace stretto::runtime {

// The needs of all entry points of a program; no memory is taken.
ReserveOp needsOf(const stretto_program &program);

} // namespace stretto::runtime
